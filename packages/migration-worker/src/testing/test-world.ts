import type { WorkerEvent } from "../events.js";
import type { HandoverEnd, Phase } from "../handover/end.js";
import { Cast } from "./cast.js";
import { checkPlan, type CheckedPlan } from "./check-plan.js";
import { describeEnd, describeEvent } from "./describe-event.js";
import { FaultSource } from "./fault-source.js";
import { inTime } from "./in-time.js";
import { Mishaps } from "./mishaps.js";
import { MemoryNetwork, type Deliver } from "./memory-network.js";
import { PostOffice } from "./post-office.js";
import { seededRandom } from "./seeded-random.js";
import { TestInstance, type TestJob } from "./test-instance.js";
import type { TestPlan } from "./test-plan.js";
import { Trace } from "./trace.js";
import { VirtualClock } from "./virtual-clock.js";
import { WorkerHost } from "./worker-host.js";

const jobId = "job";
/** How long it takes to start an instance. */
const placeMs = 20;
/** How long to wait for instances to be connected before a run goes on without them. */
const connectMs = 60_000;

export interface TestWorldOptions {
  /** Decides when something arrives. Default: after `latencyMs`. */
  readonly deliver?: Deliver;
  /** `false` for a job that does no real I/O: a run is then faster. Default: `true`. */
  readonly awaitRealIo?: boolean;
}

/**
 * A worker, a network and the instances of one job, all in memory and on one clock that runs only while it is asked to:
 * `testHandover` step by step, for tests that look or act in between.
 *
 * @example
 * ```ts
 * import { TestWorld, type JobInstance } from "@changeover/migration-worker/testing";
 *
 * declare function startJob(instance: JobInstance): void;
 *
 * const world = new TestWorld(startJob, { random: { probability: 0.1 } });
 * await world.start();
 * await world.handover();
 * world.heal();
 * await world.pause(120_000);
 * const end = await world.handover();
 * console.log(end.outcome, String(world.trace));
 * world.stop();
 * ```
 */
export class TestWorld {
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly #plan: CheckedPlan;
  readonly #job: TestJob;
  readonly #random: () => number;
  readonly #cast = new Cast();
  readonly #faults: FaultSource;
  readonly #postOffice: PostOffice;
  readonly #network: MemoryNetwork;
  readonly #mishaps: Mishaps;
  readonly #host: WorkerHost;
  readonly #ended = new Map<string, HandoverEnd>();
  #onEvent: (event: WorkerEvent) => void = () => {};
  #cancel: AbortController | undefined;
  #handovers = 0;

  /** @throws MigrationWorkerError `invalid-option`, naming the field of the plan. */
  constructor(job: TestJob, plan: TestPlan = {}, { deliver, awaitRealIo = true }: TestWorldOptions = {}) {
    const checked = checkPlan(plan);
    const { seed, latencyMs } = checked;
    const clock = new VirtualClock({ awaitRealIo });
    this.#job = job;
    this.#plan = checked;
    this.clock = clock;
    this.trace = new Trace(clock.now, seed);
    this.#random = seededRandom(seed);
    this.#faults = new FaultSource(checked, this.#random);
    this.#network = new MemoryNetwork({ clock, latencyMs, deliver });
    this.#postOffice = new PostOffice({
      cast: this.#cast,
      faults: this.#faults,
      trace: this.trace,
      crash: (crash) => this.#mishaps.crash(crash),
    });
    this.#mishaps = new Mishaps({
      clock,
      trace: this.trace,
      cast: this.#cast,
      network: this.#network,
      faults: this.#faults,
      crashWorker: (restartAfterMs) => this.#host.crash(restartAfterMs),
    });
    this.#host = new WorkerHost({
      clock,
      random: this.#random,
      network: this.#network,
      onEvent: (event) => this.#heard(event),
      onRestart: () => this.trace.add("W", undefined, "is started again"),
      findInstance: (migrationId) => this.#cast.find(migrationId),
    });
  }

  /** How many messages were sent, and how much went wrong. */
  get counts(): { messages: number; faults: number } {
    const { messages, faults } = this.#postOffice.counts;
    return { messages, faults: faults + this.#mishaps.count };
  }

  /** The instance that the worker takes for the active one, unless that is dead. */
  get hasActive(): boolean {
    return this.#cast.source?.isAlive === true;
  }

  /** Starts the source and waits until it is connected, or gone. */
  start(): Promise<void> {
    return this.#run(async () => {
      const { worker, placement } = await this.#host.up();
      const registered = worker.register(jobId);
      const connected = new Promise<void>((resolve) => {
        this.#onEvent = ({ type }) => {
          if (type === "connected" || type === "gone") resolve();
        };
      });
      const source = this.#instance("source", registered.env, undefined);
      registered.attach(placement(source));
      await Promise.race([connected, this.clock.sleep(connectMs)]);
      await this.clock.sleep(this.#plan.pauseMs);
    });
  }

  /** Runs one handover to its end, through whatever crashes of the worker. */
  handover(): Promise<HandoverEnd> {
    return this.#run(async () => {
      const { deadlines, sourceLost, onIndeterminate } = this.#plan;
      const { worker, life, placement } = await this.#host.up();
      this.#cancel = new AbortController();
      this.#handovers++;
      const known = new Set(this.#ended.keys());
      const recovered = new Promise<HandoverEnd>((resolve) => {
        this.#onEvent = (event) => {
          if (event.type === "ended" && !known.has(event.migrationId)) resolve(event.end);
        };
      });
      const returned = worker.handover(jobId, {
        deadlines,
        sourceLost,
        onIndeterminate,
        signal: this.#cancel.signal,
        placeTarget: async ({ env, migrationId, signal }) => {
          await this.clock.sleep(placeMs);
          if (life.isOver || signal.aborted) throw new Error("the placing was called off");
          return placement(this.#instance("target", env, migrationId));
        },
      });
      const end = await Promise.race([life.seen(returned), recovered]);
      // A handover that is refused at once is no event.
      if (!this.#ended.has(end.migrationId)) this.#hasEnded(end);
      return end;
    });
  }

  /** Lets the job run for some virtual milliseconds. */
  pause(ms: number = this.#plan.pauseMs): Promise<void> {
    return this.#run(async () => {
      await this.#host.up();
      await this.clock.sleep(ms);
      await this.#host.up();
    });
  }

  /** From now on nothing goes wrong, and what could not be removed is removed by hand. */
  heal(): void {
    this.#faults.heal();
    for (const instance of this.#cast.instances) {
      if (instance !== this.#cast.source) instance.crash("removed by hand");
    }
  }

  /** Ends all instances and the worker. */
  stop(): void {
    for (const instance of this.#cast.instances) instance.crash("the test is over");
    this.#host.stop();
  }

  #run<T>(body: () => Promise<T>): Promise<T> {
    return this.clock.runUntil(inTime(this.clock, body(), () => String(this.trace)));
  }

  #instance(as: "source" | "target", env: Record<string, string>, migrationId: string | undefined): TestInstance {
    const instance = new TestInstance({
      env,
      migrationId,
      job: this.#job,
      clock: this.clock,
      random: this.#random,
      isRemovable: () => this.#plan.removal === "works" || this.#faults.isHealed,
      webSocketFor: (self) => this.#network.webSocketFor(self.life, this.#postOffice.examine(self)),
      log: (self, line) => this.trace.add(this.#cast.letterOf(self), undefined, `log: ${line}`),
    });
    this.#cast.enter(as, instance);
    if (migrationId !== undefined) this.trace.name(migrationId);
    this.trace.add(this.#cast.letterOf(instance), undefined, "is started");
    instance.life.atEnd(() => this.trace.add(this.#cast.letterOf(instance), undefined, "is gone"));
    instance.start();
    return instance;
  }

  #heard(event: WorkerEvent): void {
    if ("migrationId" in event) this.trace.name(event.migrationId);
    const text = describeEvent(event);
    if (text !== undefined && event.type !== "ended") this.trace.add("W", undefined, text);
    if (event.type === "ended") this.#hasEnded(event.end);
    if (event.type === "phase") this.#entered(event.phase);
    this.#onEvent(event);
  }

  #hasEnded(end: HandoverEnd): void {
    this.#ended.set(end.migrationId, end);
    this.trace.name(end.migrationId);
    this.trace.add("W", undefined, describeEnd(end));
    if (end.outcome === "completed") this.#cast.promote();
  }

  #entered(phase: Phase): void {
    if (this.#plan.cancelAt === phase && this.#handovers === 1) {
      this.#mishaps.soon(() => {
        this.trace.add(undefined, undefined, `fault: the handover is cancelled in ${phase}`);
        this.#cancel?.abort(new Error("by the plan"));
      });
    }
    this.#mishaps.entered(phase);
  }
}
