import type { ServerOptions } from "node:https";
import type { SourceLost } from "./handover/handover.js";
import type { Deadlines } from "./handover/deadlines.js";
import type { HandoverEnd } from "./handover/end.js";
import { systemClock } from "./clock.js";
import type { WorkerEventListener } from "./events.js";
import { listen } from "./job-socket-server.js";
import { openJournal } from "./job/journal.js";
import type { Placement, PlaceTarget } from "./placement.js";
import { Worker } from "./worker.js";

export interface MigrationWorkerOptions {
  /** Address to listen on, `127.0.0.1` by default: containers need one that they can reach. */
  host?: string;
  /** Port to listen on; 0, the default, lets the system pick one. */
  port?: number;
  /** The host name under which instances reach this worker (`host.docker.internal`); `host` by default. */
  advertisedHost?: string;
  /** Key and certificate, and whatever else `node:https` takes: instances then connect by `wss://`. */
  tls?: ServerOptions;
  /** Web pages that may connect, as origins (`https://example.com`). None by default: a browser sends its page's. */
  allowedOrigins?: readonly string[];
  /**
   * Directory in which the worker writes down its jobs and handovers in flight, so that it knows them after a restart.
   * Jobs find it again only where `port` stays the same too. Default: it remembers nothing.
   */
  journalDirectory?: string;
  /** Finds the target that a worker which has died had placed. Without it a target that may be active stays in doubt. */
  recoverTarget?: RecoverTarget;
  /** Largest frame that a job may send, in bytes: 8 MiB by default. A larger state cannot be handed over. */
  maxFrameBytes?: number;
}

export interface RegisterOptions {
  /** What the placement of this job matched, for the job to read. */
  capabilities?: readonly string[];
}

/** A job that the worker knows. */
export interface JobHandle {
  readonly jobId: string;
  /**
   * The migration that the job's active instance was placed for; absent for the first instance. It tells which placement
   * to attach where a restart has left two.
   */
  readonly migrationId?: string;
  /**
   * Tells the worker what placed the job's active instance: with it the worker can remove the instance after a handover
   * and knows when it has died. A worker that was restarted has to be told again.
   */
  attach(placement: Placement): void;
}

/** A job that has just been registered. */
export interface RegisteredJob extends JobHandle {
  /** The environment of the job socket for the job's first instance. It holds a secret. */
  readonly env: Record<string, string>;
}

/**
 * Resolves with the placement of the target of this migration, or with `undefined` if there is certainly none. Rejects
 * where that cannot be known: it is then called again, and when the deadline of the fencing is over a target that may be
 * active stays in doubt.
 */
export type RecoverTarget = (request: { jobId: string; migrationId: string }) => Promise<Placement | undefined>;

export interface HandoverOptions {
  /** Starts the target. */
  placeTarget: PlaceTarget;
  /** Milliseconds for each phase; those left out keep their default. */
  deadlines?: Partial<Deadlines>;
  /** Cancels the handover. Once the target has been told to take over, a cancellation is ignored. */
  signal?: AbortSignal;
  /** What to do when the source dies on the way. Default: `promote`. */
  sourceLost?: SourceLost;
  /**
   * What to do when a target that may be active cannot be removed: let the source stay silent until it is gone, or let
   * it resume, so that two may be active and only an epoch check downstream tells them apart. Default: `hold`.
   */
  onIndeterminate?: OnIndeterminate;
}

export type OnIndeterminate = "hold" | "resume";

/** Job socket and handovers of one machine's or one control plane's jobs. */
export interface MigrationWorker {
  /** Where instances connect. */
  readonly url: string;
  /** @throws MigrationWorkerError `job-exists`, `invalid-option`, `journal-unusable`, `closed` */
  register(jobId: string, options?: RegisterOptions): RegisteredJob;
  /** The jobs that the worker knows: those that were registered, and after a restart those of the journal. */
  jobs(): JobHandle[];
  /** Forgets a job: its instances are disconnected and their tokens are void. A handover in flight is cancelled first. */
  unregister(jobId: string): Promise<void>;
  /**
   * Hands a job over to a fresh instance. Resolves with how it ended, whatever that was; a second handover of a job
   * that is being handed over is refused at once.
   *
   * @throws MigrationWorkerError `unknown-job`, `invalid-option`, `closed`
   */
  handover(jobId: string, options: HandoverOptions): Promise<HandoverEnd>;
  /**
   * Asks a job for its state and ends: it tells whether the job would hand over and how large its state is. Nothing is
   * placed and nothing stops. Takes the deadline `propose` and `signal` of a handover.
   *
   * @throws MigrationWorkerError `unknown-job`, `invalid-option`, `closed`
   */
  dryRun(jobId: string, options?: Pick<HandoverOptions, "deadlines" | "signal">): Promise<HandoverEnd>;
  /** Calls `listener` with every event from now on; the returned function ends that. */
  subscribe(listener: WorkerEventListener): () => void;
  /**
   * Cancels handovers, tells the jobs that the worker restarts, and stops listening. A handover that can no longer be
   * cancelled is waited for: with a journal for `graceMs`, and what is left then is ended by the next worker; without
   * one until its deadlines end it.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * How long to wait for a handover that can no longer be cancelled and that the journal has, in milliseconds: 5,000 by
   * default. The promise of a handover that is left to the next worker rejects with `closed`.
   */
  graceMs?: number;
}

/**
 * Starts a worker: it listens when the promise resolves.
 *
 * @throws MigrationWorkerError `listen-failed`, `invalid-option`, `journal-unusable`
 *
 * @example
 * ```ts
 * import { startMigrationWorker, type Placement } from "@changeover/migration-worker";
 *
 * declare function start(env: Record<string, string>): Placement;
 *
 * const worker = await startMigrationWorker();
 * const job = worker.register("encoder-7");
 * job.attach(start(job.env));
 * const end = await worker.handover("encoder-7", { placeTarget: async ({ env }) => start(env) });
 * console.log(end.outcome);
 * ```
 */
export async function startMigrationWorker(options: MigrationWorkerOptions = {}): Promise<MigrationWorker> {
  const worker = new Worker({ clock: systemClock, random: Math.random, listen, openJournal }, options);
  await worker.listen();
  return worker;
}
