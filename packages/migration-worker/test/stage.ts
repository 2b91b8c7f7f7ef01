import { ManualClock } from "@changeover/testing";
import { onTestFinished } from "vitest";
import type { WorkerEvent } from "../src/events.js";
import type { HandoverEnd } from "../src/handover/end.js";
import { listen } from "../src/job-socket-server.js";
import { openJournal } from "../src/job/journal.js";
import type { HandoverOptions, MigrationWorkerOptions } from "../src/migration-worker.js";
import type { Placement } from "../src/placement.js";
import { Worker } from "../src/worker.js";
import { ScriptedJob } from "./scripted-job.js";

/** A placement whose instance dies when the test says so. */
export class TestPlacement implements Placement {
  readonly gone: Promise<{ reason: string }>;
  isRemoved = false;
  readonly #resolve: (end: { reason: string }) => void;
  readonly #remove: "at once" | "fails" | "hangs";

  constructor(remove: "at once" | "fails" | "hangs" = "at once") {
    this.#remove = remove;
    let resolveGone: (end: { reason: string }) => void = () => {};
    this.gone = new Promise((resolve) => {
      resolveGone = resolve;
    });
    this.#resolve = resolveGone;
  }

  die(reason: string): void {
    this.#resolve({ reason });
  }

  async remove(): Promise<void> {
    this.isRemoved = true;
    if (this.#remove === "fails") throw new Error("the engine does not answer");
    if (this.#remove === "at once") this.die("removed");
  }
}

/** A worker with a connected source, on a clock that the test moves. */
export interface Stage {
  readonly worker: Worker;
  readonly clock: ManualClock;
  readonly events: WorkerEvent[];
  readonly source: ScriptedJob;
  readonly sourceEnv: Record<string, string>;
  readonly sourcePlacement: TestPlacement;
  /** Begins a handover whose target is placed at once. */
  handOver(options?: Partial<HandoverOptions>): Run;
}

export interface Run {
  readonly end: Promise<HandoverEnd>;
  readonly targetPlacement: TestPlacement;
  /** The environment of the target, as soon as it is being placed. */
  readonly targetEnv: Promise<Record<string, string>>;
  /** Aborted when the placing has been called off. */
  readonly placingSignal: Promise<AbortSignal>;
}

export async function createStage(
  targetRemove?: ConstructorParameters<typeof TestPlacement>[0],
  options: MigrationWorkerOptions = {},
  hello: object = {},
): Promise<Stage> {
  const clock = new ManualClock();
  const worker = new Worker({ clock, random: Math.random, listen, openJournal }, options);
  await worker.listen();
  const events: WorkerEvent[] = [];
  worker.subscribe((event) => events.push(event));
  const { env, attach } = worker.register("job-1");
  const sourcePlacement = new TestPlacement();
  attach(sourcePlacement);
  const source = await ScriptedJob.connect(env, {}, hello);
  onTestFinished(async () => {
    const closed = worker.close();
    // Whatever the test left in flight ends by its deadlines.
    for (let i = 0; i < 5; i++) await clock.advance(200_000);
    await closed;
  });
  return {
    worker,
    clock,
    events,
    source,
    sourceEnv: env,
    sourcePlacement,
    handOver: (options) => {
      const targetPlacement = new TestPlacement(targetRemove);
      let placed: (request: { env: Record<string, string>; signal: AbortSignal }) => void = () => {};
      const request = new Promise<{ env: Record<string, string>; signal: AbortSignal }>((resolve) => {
        placed = resolve;
      });
      const end = worker.handover("job-1", {
        placeTarget: async ({ env: targetEnv, signal }) => {
          placed({ env: targetEnv, signal });
          return targetPlacement;
        },
        ...options,
      });
      return {
        end,
        targetPlacement,
        targetEnv: request.then(({ env: targetEnv }) => targetEnv),
        placingSignal: request.then(({ signal }) => signal),
      };
    },
  };
}

/** Takes a handover to the phase in which its target has connected and prepares. */
export async function untilReady(stage: Stage, run: Run): Promise<ScriptedJob> {
  await stage.source.hears("get-state");
  stage.source.send({ type: "state", payload: { n: 1 } });
  const target = await ScriptedJob.connect(await run.targetEnv);
  await target.hears("initial-state");
  return target;
}

/** … to the phase in which the source has been told to stop. */
export async function untilStop(stage: Stage, run: Run): Promise<ScriptedJob> {
  const target = await untilReady(stage, run);
  target.send({ type: "target-ready", payload: { n: 5 } });
  await stage.source.hears("cutover-ready");
  return target;
}

/** … to the phase in which the target has been told to take over. */
export async function untilApply(stage: Stage, run: Run): Promise<ScriptedJob> {
  const target = await untilStop(stage, run);
  stage.source.send({ type: "source-stopped-output", payload: { n: 6 } });
  await target.hears("cutover-apply");
  return target;
}
