import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { startMigrationWorker, type HandoverEnd, type HandoverOptions, type Phase } from "@changeover/migration-worker";
import { eventually } from "@changeover/testing";
import { expect, it, onTestFinished } from "vitest";
import { Collector } from "../src/demo/collector.js";
import { createProcessStage, type ProcessInstance } from "../src/demo/process-stage.js";

const jobId = "ticker";
const handovers = 100;

/** How much of each kind keeps this process from ending: sockets, timers, child processes. */
function openResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** How many files and sockets a process has open, where the system tells. */
function openFiles(pid: number): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}

it(`${handovers} aborted handovers in a row leave nothing behind, and the next one completes`, async () => {
  const warnings: string[] = [];
  const warn = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", warn);
  const stage = createProcessStage(new URL("../dist/demo/ticker.mjs", import.meta.url));
  const worker = await startMigrationWorker();
  const collector = await Collector.listen("127.0.0.1");
  onTestFinished(async () => {
    process.off("warning", warn);
    await stage.close();
    await worker.close();
    await collector.close();
  });
  const living = new Set<ProcessInstance>();
  async function start(env: Record<string, string>): Promise<ProcessInstance> {
    const instance = await stage.start({ TICKER_COLLECTOR: `tcp://127.0.0.1:${collector.port}`, ...env });
    living.add(instance);
    void instance.gone.then(() => living.delete(instance));
    return instance;
  }
  const job = worker.register(jobId);
  const source = await start(job.env);
  job.attach(source);
  await collector.arrivals(5);

  // One signal for all: what is left on it would pile up.
  const { signal } = new AbortController();
  const handOver = (options: Partial<HandoverOptions> = {}): Promise<HandoverEnd> =>
    worker.handover(jobId, { signal, placeTarget: ({ env }) => start(env), ...options });

  async function cancelIn(phase: Phase): Promise<HandoverEnd> {
    const cancellation = new AbortController();
    const stopListening = worker.subscribe((event) => {
      if (event.type === "phase" && event.phase === phase) cancellation.abort();
    });
    const end = await handOver({ signal: cancellation.signal });
    stopListening();
    return end;
  }

  async function killAsItTakesOver(): Promise<HandoverEnd> {
    const isHeld = collector.holdNextConnection();
    let target: ProcessInstance | undefined;
    const end = handOver({ placeTarget: async ({ env }) => (target = await start(env)) });
    await isHeld;
    await target?.kill();
    collector.release();
    return end;
  }

  const ways: [Phase, () => Promise<HandoverEnd>][] = [
    ["propose", () => cancelIn("propose")],
    ["place", () => cancelIn("place")],
    ["ready", () => cancelIn("ready")],
    ["stop", () => cancelIn("stop")],
    ["place", () => handOver({ placeTarget: () => Promise.reject(new Error("no room")) })],
    [
      "ready",
      () =>
        handOver({
          placeTarget: async ({ env }) => {
            const target = await start(env);
            await target.kill();
            return target;
          },
        }),
    ],
    ["apply", killAsItTakesOver],
  ];
  const resourcesBefore = openResources();
  const filesBefore = openFiles(source.pid);

  for (let i = 0; i < handovers; i++) {
    const [phase, abort] = ways[i % ways.length] ?? [];
    expect(await abort?.()).toMatchObject({ outcome: "aborted", phase, active: "source" });
  }

  // A source that has resumed a moment ago is still closing its former connection.
  await collector.arrivals(20);
  await eventually(() => {
    expect([...living].map(({ pid }) => pid)).toEqual([source.pid]);
    expect(openResources()).toEqual(resourcesBefore);
    expect(openFiles(source.pid)).toBe(filesBefore);
  });
  expect(getEventListeners(signal, "abort")).toEqual([]);

  expect(await handOver()).toMatchObject({ outcome: "completed" });
  await collector.arrivals(20);
  expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
  // With what it said on its standard error, had it had to warn of anything.
  expect((await source.gone).reason).toBe("killed by SIGTERM");
  expect(living.size).toBe(1);
  expect(warnings).toEqual([]);
}, 60_000);
