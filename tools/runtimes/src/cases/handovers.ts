import type { HandoverEnd, MigrationWorker } from "@changeover/migration-worker";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Case } from "../case.js";
import { eventually } from "../eventually.js";
import type { JobPlan } from "../job-plan.js";
import type { Job, Stage } from "../stage.js";

const WRITES = { writes: true } satisfies JobPlan;

/** A job under the real worker, and all instances that it has had. */
class Cast {
  readonly instances: Job[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async begin(worker: MigrationWorker, plan: JobPlan = WRITES): Promise<Job> {
    const { env, attach } = worker.register("job-1");
    const job = await this.#start(env, plan);
    attach(job);
    assert.equal(await job.ready(), "source");
    return job;
  }

  handOver(worker: MigrationWorker, plan: JobPlan = WRITES, applyMs = 10_000): Promise<HandoverEnd> {
    return worker.handover("job-1", {
      placeTarget: ({ env }) => this.#start(env, plan),
      deadlines: { apply: applyMs },
    });
  }

  async #start(env: Record<string, string>, plan: JobPlan): Promise<Job> {
    const job = await this.#stage.start(env, plan);
    this.instances.push(job);
    return job;
  }

  /** Waits until the newest instance writes, and tells whether every position was written once and in order. */
  async assertSeamless(newest: Job | undefined = this.instances.at(-1)): Promise<void> {
    const written = newest?.eventsOf("wrote").length ?? 0;
    await eventually("output of the active instance", () => (newest?.eventsOf("wrote").length ?? 0) > written + 2);
    const positions = this.instances.flatMap((job) => job.eventsOf("wrote").map(({ position }) => position));
    assert.deepEqual(positions, [...positions.keys()]);
  }
}

export const handovers: readonly Case[] = [
  {
    title: "three handovers in a row, each target the next source",
    async run(stage) {
      const worker = await stage.worker();
      const cast = new Cast(stage);
      await cast.begin(worker);
      for (let nth = 1; nth <= 3; nth += 1) {
        const end = await cast.handOver(worker);
        assert.equal(end.outcome, "completed", JSON.stringify(end));
        await cast.instances[nth]?.called("onCommitted");
        await cast.instances[nth - 1]?.gone;
        await cast.assertSeamless();
      }
      const epochs = cast.instances.flatMap((job) =>
        job.eventsOf("call").filter((call) => call.handler === "onCutoverApply"),
      );
      assert.deepEqual(
        epochs.map(({ epoch }) => epoch),
        [2, 3, 4],
      );
      const [hasWebSocket] = (cast.instances[0]?.eventsOf("start") ?? []).map((start) => start.hasWebSocket);
      assert.equal(hasWebSocket, stage.runtime.hasWebSocket, "whether there is a global WebSocket");
    },
  },
  {
    title: "a refusal leaves the source as it is",
    async run(stage) {
      const worker = await stage.worker();
      const cast = new Cast(stage);
      const source = await cast.begin(worker, { ...WRITES, state: "refusal" });
      for (const _ of [1, 2]) {
        const end = await cast.handOver(worker);
        assert.deepEqual([end.outcome, "reason" in end && end.reason], ["refused", "not now"]);
      }
      await source.called("onGetState", 2);
      await cast.assertSeamless(source);
      assert.deepEqual(source.calls, ["onGetState", "onGetState"]);
    },
  },
  {
    title: "an abort after the stop lets the source resume, and a further handover completes",
    async run(stage) {
      const worker = await stage.worker();
      const cast = new Cast(stage);
      const source = await cast.begin(worker);
      const end = await cast.handOver(worker, { ...WRITES, isMute: true }, 300);
      assert.deepEqual([end.outcome, "active" in end && end.active], ["aborted", "source"], JSON.stringify(end));
      await cast.instances[1]?.gone;
      await source.called("onAbort");
      await cast.assertSeamless(source);
      assert.deepEqual(source.calls, ["onGetState", "onCutoverReady", "onAbort"]);
      assert.equal((await cast.handOver(worker)).outcome, "completed");
      await cast.assertSeamless();
    },
  },
  {
    title: "a job finds a restarted worker, and hands over",
    async run(stage) {
      const journalDirectory = await mkdtemp(join(tmpdir(), "changeover-journal-"));
      stage.cleanUp(() => rm(journalDirectory, { recursive: true, force: true }));
      const before = await stage.worker({ journalDirectory });
      const cast = new Cast(stage);
      const source = await cast.begin(before);
      await before.close();
      await source.logged("closed with 1012");
      const after = await stage.worker({ journalDirectory, port: Number(new URL(before.url).port) });
      for (const job of after.jobs()) job.attach(source);
      await source.logged("connected as source", 2);
      const end = await cast.handOver(after);
      assert.equal(end.outcome, "completed", JSON.stringify(end));
      await cast.assertSeamless();
    },
  },
  {
    title: "a state of 7 MB arrives whole",
    async run(stage) {
      const worker = await stage.worker();
      const cast = new Cast(stage);
      await cast.begin(worker, { state: { chars: 7_000_000 } });
      assert.deepEqual(
        await worker.dryRun("job-1").then(({ outcome, ...rest }) => [outcome, "stateBytes" in rest && rest.stateBytes]),
        ["willing", 7_000_002],
      );
      const end = await cast.handOver(worker);
      assert.equal(end.outcome, "completed", JSON.stringify(end));
      await cast.instances[1]?.called("onCutoverApply");
      assert.deepEqual(cast.instances[1]?.calls.slice(0, 2), ["onInitialState", "onCutoverApply"]);
    },
  },
  {
    title: "an oversized state is refused in words, without a close by 1009",
    async run(stage) {
      const worker = await stage.worker({ maxFrameBytes: 4_096 });
      const lost: unknown[] = [];
      worker.subscribe((event) => event.type === "disconnected" && lost.push(event));
      const cast = new Cast(stage);
      const source = await cast.begin(worker, { ...WRITES, state: { chars: 4_096 } });
      const end = await cast.handOver(worker);
      assert.equal(end.outcome, "refused");
      assert.match(end.reason, /bytes, and a worker takes 4096$/);
      await cast.assertSeamless(source);
      assert.deepEqual(lost, []);
    },
  },
  {
    title: "a state with a BigInt is refused with the reason",
    async run(stage) {
      const worker = await stage.worker();
      const cast = new Cast(stage);
      const source = await cast.begin(worker, { ...WRITES, state: "bigint" });
      const end = await cast.handOver(worker);
      assert.equal(end.outcome, "refused");
      assert.match(end.reason, /^onGetState: the payload cannot be sent as JSON: .*BigInt/);
      await cast.assertSeamless(source);
    },
  },
];
