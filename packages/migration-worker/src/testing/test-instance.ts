import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { Placement } from "../placement.js";
import type { TestWebSocket } from "./job-web-socket.js";
import { Life } from "./life.js";

/** What to pass to `connectMigration` as its third argument. */
export interface TestClientOptions {
  readonly WebSocket: new (url: string) => TestWebSocket;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** What one instance of a job is started with. */
export interface JobInstance {
  /** The environment of the job socket: pass it to `connectMigration`. */
  readonly env: Record<string, string>;
  /** Pass it to `connectMigration`. Its `clock` is also for the job, whose loops then take no time. */
  readonly options: TestClientOptions;
  /** Fires when this instance is removed or crashes: the job stops whatever it has going on. */
  readonly signal: AbortSignal;
}

/** Starts one instance of a job. An exception is its crash. */
export type TestJob = (instance: JobInstance) => void | Promise<void>;

export interface TestInstanceOptions {
  readonly env: Record<string, string>;
  readonly migrationId: string | undefined;
  readonly job: TestJob;
  readonly clock: Clock;
  readonly random: () => number;
  readonly isRemovable: () => boolean;
  readonly webSocketFor: (instance: TestInstance) => TestClientOptions["WebSocket"];
  readonly log: (instance: TestInstance, line: string) => void;
}

/** How long it takes to remove an instance, and to notice that one is gone. */
const removeMs = 5;
const noticeMs = 1;

/** An instance of a job in memory, and what placed it. */
export class TestInstance implements Placement {
  readonly gone: Promise<{ reason: string }>;
  readonly life: Life;
  /** The migration that it was placed for; undefined for the first instance. */
  readonly migrationId: string | undefined;
  readonly #options: TestInstanceOptions;
  readonly #controller = new AbortController();
  readonly #resolveGone: (end: { reason: string }) => void;

  constructor(options: TestInstanceOptions) {
    let resolveGone: (end: { reason: string }) => void = () => {};
    this.gone = new Promise((resolve) => {
      resolveGone = resolve;
    });
    this.#resolveGone = resolveGone;
    this.#options = options;
    this.life = new Life(options.clock);
    this.migrationId = options.migrationId;
  }

  get isAlive(): boolean {
    return !this.life.isOver;
  }

  start(): void {
    const { job, env, random, webSocketFor, log } = this.#options;
    const options: TestClientOptions = {
      WebSocket: webSocketFor(this),
      clock: this.life.clock,
      random,
      log: (line) => {
        if (this.isAlive) log(this, line);
      },
    };
    void this.#run(async () => job({ env, options, signal: this.#controller.signal }));
  }

  crash(reason: string): void {
    if (!this.isAlive) return;
    this.life.end();
    this.#controller.abort(new Error(reason));
    this.#options.clock.setTimer(() => this.#resolveGone({ reason }), noticeMs);
  }

  async remove(): Promise<void> {
    await new Promise<void>((resolve) => this.#options.clock.setTimer(resolve, removeMs));
    if (!this.isAlive) return;
    if (!this.#options.isRemovable()) throw new Error("the plan says that removals fail");
    this.crash("removed");
  }

  async #run(job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (error) {
      this.crash(`the job failed: ${messageOf(error)}`);
    }
  }
}
