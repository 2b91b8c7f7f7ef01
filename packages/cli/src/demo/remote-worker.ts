import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  HandoverEnd,
  HandoverOptions,
  Placement,
  RegisteredJob,
  WorkerEvent,
  WorkerEventListener,
} from "@changeover/migration-worker";
import { CallChannel } from "./call-channel.js";
import { whenGone } from "./child-end.js";
import type { StageCall, WorkerCall } from "./worker-calls.js";

/** Where a worker in a process of its own listens, and what runs it. */
export interface RemoteWorkerOptions {
  /** The built program of the worker. */
  program: URL;
  host: string;
  advertisedHost: string;
  /** Once it is aborted every call is rejected with its reason. */
  signal?: AbortSignal;
}

/** A job of the worker, as whoever places its instances has to know it. */
interface PlacedJob {
  /** What to attach after a restart. */
  active?: number;
  handover?: Handover;
}

interface Handover {
  readonly placeTarget: HandoverOptions["placeTarget"];
  /** The process that began it; another one may have to end it. */
  readonly run: Run | undefined;
  target?: number;
  ended(end: HandoverEnd): void;
  failed(error: Error): void;
}

interface Run {
  readonly child: ChildProcess;
  readonly channel: CallChannel<WorkerCall, StageCall>;
  /** Resolves when nothing more will be heard of it. */
  readonly over: Promise<WorkerGone>;
}

/** The worker's process is gone: what it was asked for may come of the next one. */
class WorkerGone extends Error {}

/**
 * A worker in a process of its own, so that it can be killed, and started again from its journal on the same port. It
 * asks this process, which outlives it, to place, find and remove instances.
 */
export class RemoteWorker {
  readonly #options: RemoteWorkerOptions;
  readonly #journalDirectory: string;
  readonly #jobs = new Map<string, PlacedJob>();
  readonly #placements: Placement[] = [];
  /** By migration: also what is still being placed when a worker dies has to be found by the next. */
  readonly #targets = new Map<string, Promise<number>>();
  readonly #listeners = new Set<WorkerEventListener>();
  #run: Run | undefined;
  #port = 0;
  #failure: Error | undefined;

  private constructor(options: RemoteWorkerOptions, journalDirectory: string) {
    this.#options = options;
    this.#journalDirectory = journalDirectory;
    const { signal } = options;
    signal?.addEventListener("abort", () => this.#fail(abortError(signal)), { once: true });
  }

  /** Resolves when the worker listens. */
  static async start(options: RemoteWorkerOptions): Promise<RemoteWorker> {
    options.signal?.throwIfAborted();
    const worker = new RemoteWorker(options, await mkdtemp(join(tmpdir(), "changeover-demo-journal-")));
    try {
      await worker.#start();
      return worker;
    } catch (error) {
      await worker.close();
      throw error;
    }
  }

  /** The process of the moment. */
  get pid(): number | undefined {
    return this.#run?.child.pid;
  }

  async register(jobId: string): Promise<RegisteredJob> {
    const env = await this.#call({ method: "register", jobId });
    if (!isEnvironment(env)) throw new TypeError("the worker answered without an environment");
    const job: PlacedJob = {};
    this.#jobs.set(jobId, job);
    return { jobId, env, attach: (placement) => this.#attach(jobId, (job.active = this.#add(placement))) };
  }

  async unregister(jobId: string): Promise<void> {
    await this.#call({ method: "unregister", jobId });
    this.#jobs.delete(jobId);
  }

  /** As that of a worker in this process. Where the worker dies on the way, the end is what the next one makes of it. */
  async handover(jobId: string, { placeTarget, signal, ...options }: HandoverOptions): Promise<HandoverEnd> {
    const job = this.#jobs.get(jobId);
    if (!job) throw new Error(`job ${jobId} is not registered`);
    if (job.handover) throw new Error(`a handover of job ${jobId} is in flight`);
    const endOfNext = new Promise<HandoverEnd>((ended, failed) => {
      job.handover = { placeTarget, run: this.#run, ended, failed };
    });
    // It may fail when nobody waits for it.
    endOfNext.catch(() => {});
    const cancel = (): void => void this.#call({ method: "cancel", jobId, reason: "cancelled" }).catch(() => {});
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const end = await this.#call({ method: "handover", jobId, options });
      if (!isHandoverEnd(end)) throw new TypeError("the worker answered without the end of a handover");
      return end;
    } catch (error) {
      if (error instanceof WorkerGone) return await endOfNext;
      throw error;
    } finally {
      delete job.handover;
      signal?.removeEventListener("abort", cancel);
    }
  }

  subscribe(listener: WorkerEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Kills the worker as a crash would: SIGKILL, at once. Its jobs run on. */
  async kill(): Promise<void> {
    this.#run?.child.kill("SIGKILL");
    await this.#run?.over;
  }

  /** Starts the worker again after it was killed. Resolves when it listens, on the same port as before. */
  async restart(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      // A handover that only this worker could have ended must not wait for ever.
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    // A job whose handover the worker still has to end gets what is active then.
    for (const [jobId, { active, handover }] of this.#jobs) {
      if (!handover && active !== undefined) this.#attach(jobId, active);
    }
  }

  async close(): Promise<void> {
    this.#fail(new Error("the worker has been closed"));
    await this.kill();
    await rm(this.#journalDirectory, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { program, host, advertisedHost } = this.#options;
    const child = fork(program, [host, advertisedHost, String(this.#port), this.#journalDirectory], {
      // What this process was started with is not for that one.
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    // A process that could not be started, or not be told, is gone: that is told by its end.
    child.on("error", () => {});
    let isListening = (): void => {};
    const listening = new Promise<void>((resolve) => {
      isListening = resolve;
    });
    const channel = new CallChannel<WorkerCall, StageCall>(
      // What cannot be delivered has nobody to wait for it: the process has gone.
      (message) => void child.send(message, () => {}),
      (call) => {
        if (call.method !== "listening") return this.#carryOut(call);
        this.#port = Number(new URL(call.url).port);
        return isListening();
      },
    );
    child.on("message", (message: unknown) => channel.receive(message));
    // What it said last may still be under way when the process is gone.
    const disconnected = new Promise<void>((resolve) => {
      if (child.connected) child.once("disconnect", resolve);
      else resolve();
    });
    const over = Promise.all([whenGone(child), disconnected]).then(([{ reason }]) => {
      const error = new WorkerGone(`the worker's process has ended: ${reason}`);
      channel.fail(error);
      return error;
    });
    this.#run = { child, channel, over };
    const tooEarly = over.then((error) => Promise.reject(error));
    await Promise.race([listening, tooEarly]);
  }

  /** Rejects whatever waits, and whatever comes. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#run?.channel.fail(error);
    for (const { handover } of this.#jobs.values()) handover?.failed(error);
  }

  async #call(call: WorkerCall): Promise<unknown> {
    if (this.#failure) throw this.#failure;
    return this.#run?.channel.call(call);
  }

  async #carryOut(call: Exclude<StageCall, { method: "listening" }>): Promise<unknown> {
    switch (call.method) {
      case "event":
        return this.#hear(call.event);
      case "place": {
        const { jobId, migrationId, env } = call;
        const handover = this.#jobs.get(jobId)?.handover;
        if (!handover) throw new Error(`no handover of ${jobId} is in flight`);
        const { signal } = new AbortController();
        const placing = handover
          .placeTarget({ jobId, migrationId, env, signal })
          .then((placement) => (handover.target = this.#add(placement)));
        this.#targets.set(migrationId, placing);
        return placing;
      }
      case "recover":
        // What could not be placed is certainly not there.
        return this.#targets.get(call.migrationId)?.catch(() => undefined);
      case "remove":
        return this.#placements[call.placementId]?.remove();
      case "await-gone":
        return (await this.#placements[call.placementId]?.gone)?.reason;
    }
  }

  #hear(event: WorkerEvent): void {
    if (event.type === "ended") this.#handoverEnded(event.jobId, event.end);
    for (const listener of this.#listeners) listener(event);
  }

  #handoverEnded(jobId: string, end: HandoverEnd): void {
    const job = this.#jobs.get(jobId);
    if (!job?.handover) return;
    const { target, run, ended } = job.handover;
    if (end.outcome === "completed" && target !== undefined) job.active = target;
    // A worker that was started on the way has not been told yet.
    if (run !== this.#run && job.active !== undefined) this.#attach(jobId, job.active);
    ended(end);
  }

  #add(placement: Placement): number {
    return this.#placements.push(placement) - 1;
  }

  #attach(jobId: string, placementId: number): void {
    // A worker that dies meanwhile is told when it is back.
    this.#call({ method: "attach", jobId, placementId }).catch(() => {});
  }
}

function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}

function isEnvironment(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((each) => typeof each === "string");
}

function isHandoverEnd(value: unknown): value is HandoverEnd {
  return typeof value === "object" && value !== null && "outcome" in value;
}
