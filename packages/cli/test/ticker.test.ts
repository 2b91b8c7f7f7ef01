import { connectMigration } from "@changeover/migration-client";
import { startMigrationWorker, type HandoverEnd, type HandoverOptions, type Phase } from "@changeover/migration-worker";
import { describe, expect, it, onTestFinished } from "vitest";
import { Collector } from "../src/demo/collector.js";
import { createProcessStage, type ProcessInstance } from "../src/demo/process-stage.js";

/** A ticker under a worker, in real processes, with the collector that checks it. */
async function startTicker() {
  const stage = createProcessStage(new URL("../dist/demo/ticker.mjs", import.meta.url));
  const worker = await startMigrationWorker();
  const collector = await Collector.listen("127.0.0.1");
  onTestFinished(async () => {
    await stage.close();
    await worker.close();
    await collector.close();
  });
  const env = { TICKER_COLLECTOR: `tcp://127.0.0.1:${collector.port}` };
  const job = worker.register("ticker");
  let active = await stage.start({ ...env, ...job.env });
  job.attach(active);
  await collector.arrivals(5);

  async function handOver(options: Partial<HandoverOptions> = {}): Promise<HandoverEnd> {
    let target: ProcessInstance | undefined;
    const end = await worker.handover("ticker", {
      placeTarget: async (request) => (target = await stage.start({ ...env, ...request.env })),
      ...options,
    });
    if (end.outcome === "completed" && target) active = target;
    return end;
  }
  return { worker, collector, handOver, active: () => active };
}

describe("the ticker", () => {
  it.each<Phase>(["propose", "place", "ready", "stop"])(
    "loses and doubles nothing when it is cancelled in %s",
    async (phase) => {
      const { worker, collector, handOver } = await startTicker();
      const controller = new AbortController();
      worker.subscribe((event) => {
        if (event.type === "phase" && event.phase === phase) controller.abort();
      });
      expect(await handOver({ signal: controller.signal })).toMatchObject({
        outcome: "aborted",
        phase,
        active: "source",
      });
      await collector.arrivals(20);
      expect(await handOver()).toMatchObject({ outcome: "completed" });
      await collector.arrivals(20);
      expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
    },
  );

  it("loses and doubles nothing when its target stalls as it takes over", async () => {
    const { collector, handOver } = await startTicker();
    const held = collector.holdNextConnection();
    const stalled = handOver({ deadlines: { apply: 200 } });
    await held;
    expect(await stalled).toMatchObject({ outcome: "aborted", phase: "apply", active: "source" });
    collector.release();
    await collector.arrivals(20);
    expect(await handOver()).toMatchObject({ outcome: "completed" });
    await collector.arrivals(20);
    expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
  });

  it("carries on when it is cancelled while it waits for a position that is far ahead", async () => {
    const { worker, collector, handOver } = await startTicker();
    // A target whose clock is 5 s ahead.
    const placeTarget: HandoverOptions["placeTarget"] = async ({ env }) => {
      const client = connectMigration(
        { onInitialState: ({ n }: { n: number }) => client.reportReady({ n: n + 500 }) },
        env,
      );
      let die: (end: { reason: string }) => void = () => {};
      const gone = new Promise<{ reason: string }>((resolve) => {
        die = resolve;
      });
      return {
        gone,
        remove: async () => {
          client.close();
          die({ reason: "removed" });
        },
      };
    };
    const controller = new AbortController();
    worker.subscribe((event) => {
      if (event.type === "phase" && event.phase === "stop") setImmediate(() => controller.abort());
    });
    const end = await handOver({ placeTarget, signal: controller.signal });
    expect(end).toMatchObject({ outcome: "aborted", phase: "stop", active: "source" });
    await collector.arrivals(600);
    expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
  });

  it("goes on without its worker", async () => {
    const { worker, collector } = await startTicker();
    await worker.close();
    await collector.arrivals(50);
    expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
  });
});
