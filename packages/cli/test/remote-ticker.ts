import type { HandoverEnd, HandoverOptions, Phase, Placement, WorkerEvent } from "@changeover/migration-worker";
import { onTestFinished } from "vitest";
import { Collector } from "../src/demo/collector.js";
import { createProcessStage, type ProcessInstance } from "../src/demo/process-stage.js";
import { RemoteWorker } from "../src/demo/remote-worker.js";

const jobId = "ticker";
/** How long a job may take to end after SIGTERM before it is killed: one that is frozen does not end. */
const stopTimeoutMs = 300;

/** A ticker and its worker, each in a process of its own, with the collector that checks every number. */
export class RemoteTicker {
  readonly worker: RemoteWorker;
  readonly collector: Collector;
  source: ProcessInstance | undefined;
  target: ProcessInstance | undefined;
  /** What a target waits for when it has been started, before the worker hears of it. */
  onPlaced: (target: ProcessInstance) => Promise<void> | void = () => {};
  /** What the removal of an instance waits for. */
  beforeRemoval: Promise<void> = Promise.resolve();
  readonly #living = new Set<ProcessInstance>();
  readonly #stage = createProcessStage(new URL("../dist/demo/ticker.mjs", import.meta.url), { stopTimeoutMs });
  readonly #env: Record<string, string>;

  private constructor(worker: RemoteWorker, collector: Collector) {
    this.worker = worker;
    this.collector = collector;
    this.#env = { TICKER_COLLECTOR: `tcp://127.0.0.1:${collector.port}` };
  }

  static async start(): Promise<RemoteTicker> {
    const program = new URL("../dist/demo/worker-program.js", import.meta.url);
    const worker = await RemoteWorker.start({ program, host: "127.0.0.1", advertisedHost: "127.0.0.1" });
    onTestFinished(() => worker.close());
    const collector = await Collector.listen("127.0.0.1");
    const ticker = new RemoteTicker(worker, collector);
    onTestFinished(async () => {
      await ticker.#stage.close();
      await collector.close();
    });
    const job = await worker.register(jobId);
    ticker.source = await ticker.#start(job.env);
    job.attach(ticker.#placement(ticker.source));
    await collector.arrivals(5);
    return ticker;
  }

  /** Hands over; the instance that is active afterwards is the source of the next. */
  async handOver(options: Omit<HandoverOptions, "placeTarget"> = {}): Promise<HandoverEnd> {
    this.target = undefined;
    const end = await this.worker.handover(jobId, {
      ...options,
      placeTarget: async ({ env }) => {
        const target = await this.#start(env);
        this.target = target;
        await this.onPlaced(target);
        return this.#placement(target);
      },
    });
    if (end.outcome === "completed") this.source = this.target;
    return end;
  }

  /** Resolves when the handover that is about to begin enters this phase. */
  enters(phase: Phase): Promise<void> {
    return this.hears((event) => event.type === "phase" && event.phase === phase);
  }

  /** Resolves when the worker tells of something. */
  hears(isIt: (event: WorkerEvent) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.worker.subscribe((event) => {
        if (!isIt(event)) return;
        stop();
        resolve();
      });
    });
  }

  /** Processes of the job that have been started and are not gone. */
  livingPids(): number[] {
    return [...this.#living].map(({ pid }) => pid);
  }

  /** The longest silence since then, as far as it is longer than the ticker's own interval. */
  silenceMs(since: number): number {
    return this.collector.longestIntervalMs(since) - 10;
  }

  async #start(env: Record<string, string>): Promise<ProcessInstance> {
    const instance = await this.#stage.start({ ...this.#env, ...env });
    this.#living.add(instance);
    void instance.gone.then(() => this.#living.delete(instance));
    return instance;
  }

  #placement(instance: ProcessInstance): Placement {
    return {
      gone: instance.gone,
      remove: async () => {
        await this.beforeRemoval;
        await instance.remove();
      },
    };
  }
}

export function freeze(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, "SIGSTOP");
}

/** Lets a process go on; one that is gone stays so. */
export function thaw(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGCONT");
  } catch {
    // It has been removed.
  }
}
