import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { logEvents, type EventLogger } from "../src/observe/log-events.js";
import type { WorkerEvent } from "../src/events.js";
import { startMigrationWorker, type MigrationWorker } from "../src/migration-worker.js";
import { ScriptedJob } from "./scripted-job.js";
import { createStage, untilApply, untilReady } from "./stage.js";

type Line = { level: number; msg: string; type: string } & Record<string, unknown>;

const levels = pino.levels.labels;

/** Logs through pino itself: that it is an `EventLogger` is part of what is tested. */
function log(worker: Pick<MigrationWorker, "subscribe">): { lines: Line[]; said: () => string[]; stop: () => void } {
  const lines: Line[] = [];
  const logger: EventLogger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const stop = logEvents(worker, logger);
  onTestFinished(stop);
  return { lines, said: () => lines.map(({ level, msg }) => `${levels[level]} ${msg}`), stop };
}

describe("logging", () => {
  it("says where the worker listens, and that it remembers nothing where it was given no directory", async () => {
    const worker = await startMigrationWorker();
    onTestFinished(() => worker.close());
    const { said } = log(worker);
    await new Promise((resolve) => setImmediate(resolve));
    expect(said()).toEqual([
      `info listening on ${worker.url}; no journalDirectory: jobs and handovers are forgotten when this process ends`,
    ]);
  });

  it("tells a completed handover", async () => {
    const stage = await createStage();
    const { lines, said } = log(stage.worker);
    const run = stage.handOver();
    const target = await untilApply(stage, run);
    target.send({ type: "target-applied" });
    const { migrationId } = await run.end;
    expect(said().filter((line) => line.startsWith("info"))).toEqual([
      "info job job-1: the handover is in propose",
      "info job job-1: the handover is in place",
      "info job job-1: the handover is in ready",
      "info job job-1: the handover is in stop",
      "info job job-1: the handover is in apply",
      "info job job-1: the handover is in commit",
      "info job job-1: the handover is completed, after 0.0 ms without output",
    ]);
    expect(said()).toContain("debug job job-1: the target has connected, with protocol 1");
    expect(lines.find(({ type }) => type === "ended")).toMatchObject({
      jobId: "job-1",
      migrationId,
      end: { outcome: "completed" },
      atMs: 0,
    });
  });

  it("tells a refused handover", async () => {
    const stage = await createStage();
    const { said } = log(stage.worker);
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await run.end;
    expect(said().at(-1)).toBe("info job job-1: the handover was refused: not now");
  });

  it("warns of an aborted handover", async () => {
    const stage = await createStage();
    const { said } = log(stage.worker);
    const run = stage.handOver();
    const target = await untilReady(stage, run);
    target.send({ type: "abort", reason: "no memory" });
    await run.end;
    expect(said()).toContain("info job job-1: the source resumes: the target aborted: no memory");
    expect(said()).toContain(
      "warn job job-1: the handover was aborted in ready, the source is active: the target aborted: no memory",
    );
  });

  it("raises an error when nobody knows who is active", async () => {
    const stage = await createStage("fails");
    const { said } = log(stage.worker);
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    await run.end;
    expect(said()).toContain("error job job-1: the target could not be removed: the engine does not answer");
    expect(said().at(-1)).toMatch(/^error job job-1: nobody knows whether the target is active, remove it: /);
    expect(said().some((line) => line.startsWith("warn job job-1: the target is being removed before"))).toBe(true);
  });

  it("warns of connections that were rejected, of violations and of deaths", async () => {
    const stage = await createStage();
    const { lines, said } = log(stage.worker);
    const stranger = await ScriptedJob.open(stage.worker.url);
    stranger.send({ type: "hello", token: "a-wrong-token" });
    await stranger.closed;
    stage.source.sendText("nonsense");
    await stage.source.closed;
    stage.sourcePlacement.die("exited with code 1");
    await stage.clock.advance(0);
    const warned = said().filter((line) => line.startsWith("warn"));
    expect(warned).toEqual([
      expect.stringMatching(/^warn a connection from 127\.0\.0\.1 was rejected: 4401 /),
      expect.stringMatching(/^warn job job-1: the source broke the protocol: /),
      "warn job job-1: the source is gone: exited with code 1",
    ]);
    expect(JSON.stringify(lines)).not.toContain("a-wrong-token");
  });

  it("stops when told to", async () => {
    const stage = await createStage();
    const { lines, stop } = log(stage.worker);
    stop();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await run.end;
    expect(lines).toEqual([]);
  });

  it("takes the console too", () => {
    const logger: EventLogger = console;
    expect(logEvents({ subscribe: (_listener: (event: WorkerEvent) => void) => () => {} }, logger)).toBeTypeOf(
      "function",
    );
  });
});
