import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import {
  startMigrationWorker,
  type HandoverEnd,
  type MigrationWorker,
  type Phase,
  type WorkerEvent,
} from "@changeover/migration-worker";
import type { Frame } from "./frame.js";
import { startGuardian, type Guardian } from "./guardian.js";
import { Instance } from "./instance.js";
import type { Command } from "./job-process.js";

const jobId = "dev";

/** Hears of everything, as it happens. */
export interface DevWatcher {
  started(instance: Instance): void;
  line(instance: Instance, line: string): void;
  report(instance: Instance, report: Frame): void;
  event(event: WorkerEvent, instances: Instances): void;
  /** A secret that nobody may show. */
  secret(token: string): void;
}

export interface Instances {
  readonly source: Instance | undefined;
  readonly target: Instance | undefined;
}

/** The job that is being developed, under a worker of this process. */
export class DevJob {
  readonly #command: Command;
  readonly #worker: MigrationWorker;
  readonly #watcher: DevWatcher;
  readonly #guardian: Guardian = startGuardian();
  readonly #running = new Set<Instance>();
  #started = 0;
  #source: Instance | undefined;
  #target: Instance | undefined;
  #cancellation: AbortController | undefined;
  #phase: Phase | undefined;
  #abortAt: Phase | undefined;
  #isClosed = false;

  private constructor(command: Command, worker: MigrationWorker, watcher: DevWatcher) {
    this.#command = command;
    this.#worker = worker;
    this.#watcher = watcher;
    worker.subscribe((event) => {
      watcher.event(event, { source: this.#source, target: this.#target });
      if (event.type !== "phase") return;
      this.#phase = event.phase;
      if (event.phase === this.#abortAt) this.#cancellation?.abort(new Error(`you asked to abort in ${event.phase}`));
    });
  }

  static async create(command: Command, watcher: DevWatcher): Promise<DevJob> {
    return new DevJob(command, await startMigrationWorker(), watcher);
  }

  /** The active instance, if it lives. */
  get active(): Instance | undefined {
    return this.#source?.end === undefined ? this.#source : undefined;
  }

  /** The instance that was placed for the last handover. */
  get target(): Instance | undefined {
    return this.#target;
  }

  get isHandingOver(): boolean {
    return this.#cancellation !== undefined;
  }

  /** The phase of the handover in flight. */
  get phase(): Phase | undefined {
    return this.isHandingOver ? this.#phase : undefined;
  }

  /** Starts the job afresh, as if it had never run. */
  async start(): Promise<Instance> {
    await this.#worker.unregister(jobId);
    const job = this.#worker.register(jobId);
    const source = await this.#place(job.env);
    this.#source = source;
    job.attach(source);
    return source;
  }

  /** Hands over to a fresh instance; with `abortAt` it is cancelled as that phase begins. */
  async handOver(abortAt?: Phase): Promise<HandoverEnd> {
    this.#cancellation = new AbortController();
    this.#abortAt = abortAt;
    this.#target = undefined;
    try {
      const end = await this.#worker.handover(jobId, {
        signal: this.#cancellation.signal,
        placeTarget: async ({ env, signal }) => {
          signal.throwIfAborted();
          this.#target = await this.#place(env);
          return this.#target;
        },
      });
      if (end.outcome === "completed") this.#source = this.#target;
      return end;
    } finally {
      this.#cancellation = undefined;
    }
  }

  dryRun(): Promise<HandoverEnd> {
    return this.#worker.dryRun(jobId);
  }

  /** Cancels the handover in flight as that phase begins. */
  abortIn(phase: Phase): void {
    this.#abortAt = phase;
  }

  /** Cuts every connection to the worker and says whose they were. */
  cut(): Instance[] {
    const connected = [...this.#running].filter(({ isConnected }) => isConnected);
    for (const instance of connected) instance.cut();
    return connected;
  }

  /** Ends every instance and the worker. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The worker waits for what its jobs owe it, which they do no longer once they are gone.
    const closed = this.#worker.close();
    await Promise.all([...this.#running].map((instance) => instance.remove()));
    await closed;
    this.#guardian.close();
  }

  async #place(env: Record<string, string>): Promise<Instance> {
    this.#watcher.secret(env[JOB_SOCKET_ENV.token] ?? "");
    const instance = await Instance.start({
      name: `#${++this.#started}`,
      command: this.#command,
      env,
      guardian: this.#guardian,
      onLine: (from, line) => this.#watcher.line(from, line),
      onReport: (from, report) => this.#watcher.report(from, report),
    });
    this.#running.add(instance);
    void instance.gone.then(() => this.#running.delete(instance));
    this.#watcher.started(instance);
    if (this.#isClosed) await instance.remove();
    return instance;
  }
}
