// Connects many jobs to one worker and measures what that costs: memory of a job, the longest time for which the event
// loop was blocked while nothing but liveness goes on, and a handover beside the crowd.
import { spawn } from "node:child_process";
import { openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { connectMigration } from "@changeover/migration-client";
import { startMigrationWorker } from "@changeover/migration-worker";

const jobs = Number(process.env["CHANGEOVER_JOBS"] ?? 15_000);
const handovers = 50;
/** More than an interval of liveness: what is done for all jobs is done in each of these windows. */
const windowMs = 11_000;
const windows = 3;
/** No loop over all jobs may block the event loop for longer. */
const longestBlockMs = 5;
/** A handover beside the crowd may cost so much more than one alone; the rest is noise. */
const dearest = 1.5;

const worker = await startMigrationWorker();
/** One that has nothing else to do, for comparison. */
const empty = await startMigrationWorker();

/** The least that a job does, in this process. */
function counter(env) {
  let value = 0;
  let die;
  const gone = new Promise((resolve) => (die = resolve));
  const client = connectMigration(
    {
      onGetState: () => value,
      onInitialState: (state) => {
        value = state;
        client.reportReady(value);
      },
      onCutoverReady: () => client.reportStoppedOutput(value),
      onCutoverApply: () => client.reportApplied(),
    },
    env,
  );
  return {
    client,
    gone,
    remove: async () => {
      client.close();
      die({ reason: "removed" });
    },
  };
}

/** Hands a job of each worker over by turns, and returns the median time that it took on each, in milliseconds. */
async function handOverByTurns(...workers) {
  const shows = workers.map((each) => ({ worker: each, job: each.register("measured"), active: undefined, times: [] }));
  for (const show of shows) {
    show.active = counter(show.job.env);
    show.job.attach(show.active);
    await show.active.client.ready;
  }
  for (let i = 0; i < handovers; i++) {
    for (const show of shows) {
      const startedAt = performance.now();
      const placeTarget = async ({ env }) => (show.active = counter(env));
      const end = await show.worker.handover("measured", { placeTarget });
      if (end.outcome !== "completed") throw new Error(`a handover ended as ${JSON.stringify(end)}`);
      show.times.push(performance.now() - startedAt);
    }
  }
  for (const show of shows) {
    await show.worker.unregister("measured");
    await show.active.remove();
  }
  return shows.map(({ times }) => times.toSorted((a, b) => a - b)[handovers / 2]);
}

const schedule = openSync("/proc/thread-self/schedstat", "r");
const text = Buffer.alloc(64);

/**
 * How long this thread has had a processor, in milliseconds: unlike the wall's time it is that of no other program. It
 * leaves no garbage, for whose collection everything would have to wait.
 */
function busyMs() {
  readSync(schedule, text, 0, text.length, 0);
  let nanoseconds = 0;
  for (let i = 0; text[i] !== 0x20; i++) nanoseconds = nanoseconds * 10 + text[i] - 0x30;
  return nanoseconds / 1e6;
}

/** How long each of the long turns of the event loop works, in milliseconds, without the garbage collector. */
async function watchTurns(forMs) {
  const collections = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ type: "gc" });
  const turns = [];
  const endsAt = performance.now() + forMs;
  let fromAt = performance.now();
  let fromBusy = busyMs();
  await new Promise((resolve) => {
    const turn = () => {
      const toAt = performance.now();
      const toBusy = busyMs();
      const ms = Math.min(toAt - fromAt, toBusy - fromBusy);
      // Only the long ones are kept: what is measured must not be this measuring.
      if (ms > longestBlockMs / 5) turns.push({ from: fromAt, to: toAt, ms });
      fromAt = toAt;
      fromBusy = toBusy;
      if (toAt < endsAt) setImmediate(turn);
      else resolve();
    };
    setImmediate(turn);
  });
  observer.disconnect();
  return turns.map(({ from: start, to, ms }) => {
    const collected = collections.filter(({ startTime }) => startTime >= start && startTime < to);
    return ms - collected.reduce((sum, { duration }) => sum + duration, 0);
  });
}

await handOverByTurns(worker, empty);
globalThis.gc?.();
const before = process.memoryUsage().rss;

const tokens = Array.from({ length: jobs }, (_, i) => worker.register(`job-${i}`).env["NORSK_WORKER_TOKEN"]);
const crowd = spawn(process.execPath, [new URL("crowd.mjs", import.meta.url).pathname, worker.url], {
  stdio: ["pipe", "pipe", "inherit"],
});
const startedAt = performance.now();
let state = { connected: 0, lost: 0 };
createInterface({ input: crowd.stdout }).on("line", (line) => (state = JSON.parse(line)));
crowd.stdin.end(`${tokens.join("\n")}\n`);
while (state.connected < jobs) {
  if (crowd.exitCode !== null) throw new Error("the crowd could not connect: are there files enough (ulimit -n)?");
  await delay(100);
}
const connectSeconds = (performance.now() - startedAt) / 1000;
globalThis.gc?.();
const bytesPerJob = (process.memoryUsage().rss - before) / jobs;

const [besideMs, aloneMs] = await handOverByTurns(worker, empty);

// What this machine does beside it is seen in some of the windows, what the worker does for all jobs in every one.
const longest = [];
for (let i = 0; i < windows; i++) {
  const turns = await watchTurns(windowMs);
  longest.push(turns.reduce((most, ms) => Math.max(most, ms), 0));
}
const longestMs = Math.min(...longest);
crowd.kill("SIGKILL");
await Promise.all([worker.close(), empty.close()]);

const promises = {
  [`${state.connected} jobs connected in ${connectSeconds.toFixed(1)} s, ${state.lost} lost`]:
    state.connected === jobs && state.lost === 0,
  [`no turn of the event loop works for more than ${longestBlockMs} ms: ${longestMs.toFixed(1)} ms at most`]:
    longestMs <= longestBlockMs,
  [`a handover takes ${besideMs.toFixed(2)} ms beside them and ${aloneMs.toFixed(2)} ms alone`]:
    besideMs <= dearest * aloneMs,
};
console.log(`${(bytesPerJob / 1024).toFixed(1)} KiB for each job`);
for (const [promise, isKept] of Object.entries(promises)) console.log(`${isKept ? "✔" : "✖"} ${promise}`);
process.exitCode = Object.values(promises).every(Boolean) ? 0 : 1;
