import type { HandoverEnd, Phase } from "@changeover/migration-worker";
import { DevJob } from "./dev-job.js";
import { DevView } from "./dev-view.js";
import type { Instance } from "./instance.js";
import type { Command } from "./job-process.js";
import type { Screen } from "./screen.js";

export interface SessionOptions {
  command: Command;
  /** How long the job may take to connect. */
  connectWithinMs: number;
  signal: AbortSignal;
}

export interface Ended {
  readonly end: HandoverEnd;
  /** Why the worker did not take a cancellation. */
  readonly lateAbort: string | undefined;
}

/** A job under development and the view of it. */
export class Session {
  readonly job: DevJob;
  readonly view: DevView;
  readonly #options: SessionOptions;
  #count = 0;

  private constructor(job: DevJob, view: DevView, options: SessionOptions) {
    this.job = job;
    this.view = view;
    this.#options = options;
  }

  static async open(screen: Screen, options: SessionOptions): Promise<Session> {
    const view = new DevView(screen);
    return new Session(await DevJob.create(options.command, view), view, options);
  }

  /** Starts the job; resolves with whether it has connected in time. Rejects if it ended before. */
  async start(): Promise<boolean> {
    const { connectWithinMs, signal } = this.#options;
    const instance = await this.job.start();
    const ended = instance.gone.then(({ reason }): never => {
      const where = instance.lastWords === "" ? "without a word" : "and its output is above";
      throw new Error(
        `the command ended before it connected: ${reason}, ${where}.\n` +
          "  A job has to keep running. Run the command without `changeover dev --` and see whether it does.",
      );
    });
    ended.catch(() => {});
    const untilMs = performance.now() + connectWithinMs;
    while (!instance.hasConnected && performance.now() < untilMs) {
      signal.throwIfAborted();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    if (!instance.hasConnected) this.view.missing(instance, connectWithinMs);
    return instance.hasConnected;
  }

  async handOver(abortAt?: Phase): Promise<Ended> {
    const { view, job } = this;
    const source = job.active;
    const name = `handover ${++this.#count}`;
    view.begin(`${name} of ${source?.name ?? "a dead job"}${abortAt ? `, to be aborted in ${abortAt}` : ""}`);
    const stopLooking = this.#lookForConnection(() => job.target);
    const end = await job.handOver(abortAt).finally(stopLooking);
    view.end(name, end, { source, target: job.target });
    return { end, lateAbort: view.lateAbort };
  }

  /** Cuts every connection to the worker and says whose they were: each is expected back. */
  cut(): Instance[] {
    const instances = this.job.cut();
    for (const instance of instances) this.#lookForConnection(() => instance);
    return instances;
  }

  async close(): Promise<void> {
    this.view.screen.silence();
    await this.job.close();
  }

  async dryRun(): Promise<void> {
    const { view, job } = this;
    view.begin(`dry run of ${job.active?.name}`);
    view.end("dry run", await job.dryRun(), { source: job.active, target: undefined });
  }

  /** Says so if an instance that runs is not connected in time; the returned function ends that. */
  #lookForConnection(instanceOf: () => Instance | undefined): () => void {
    const { connectWithinMs } = this.#options;
    const timer = setTimeout(() => {
      const instance = instanceOf();
      if (instance?.end === undefined && instance?.isConnected === false) this.view.missing(instance, connectWithinMs);
    }, connectWithinMs).unref();
    return () => clearTimeout(timer);
  }
}
