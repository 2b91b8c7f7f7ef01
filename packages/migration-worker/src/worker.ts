import { randomUUID } from "node:crypto";
import { DEFAULT_DEADLINES_MS, JOB_SOCKET_ENV, LIMITS } from "@changeover/migration-protocol";
import { boundedReason, messageOf, MigrationWorkerError } from "./errors.js";
import type { JobEvent, WorkerEvent, WorkerEventBody, WorkerEventListener } from "./events.js";
import { checkHandoverOptions, type CheckedHandoverOptions } from "./handover-options.js";
import type { HandoverEnd } from "./handover/end.js";
import type { ConnectionOwner, JobConnection, Reception, Report } from "./job-connection.js";
import type { JobSocketServer } from "./job-socket-server.js";
import { Job } from "./job/job.js";
import { JobJournal } from "./job/job-journal.js";
import { instanceById, newJob, type InstanceState, type JobState } from "./job/job-state.js";
import { noJournal, type Journal } from "./job/journal.js";
import { fromRecord, toRecord } from "./job/journal-record.js";
import { recoverable } from "./job/recoverable.js";
import { Remover } from "./job/remover.js";
import type {
  CloseOptions,
  HandoverOptions,
  JobHandle,
  MigrationWorker,
  MigrationWorkerOptions,
  RegisteredJob,
  RegisterOptions,
} from "./migration-worker.js";
import { placedWithout } from "./placed-without.js";
import { checkPlacement, type Placement } from "./placement.js";
import { createToken, hashToken } from "./token.js";
import type { WorkerDeps } from "./worker-deps.js";
import { WORKER_NAME } from "./worker-name.js";
import { checkWorkerOptions, type CheckedWorkerOptions } from "./worker-options.js";

/** Whose a token is. */
interface Holder {
  readonly id: string;
  readonly known: KnownJob;
}

/** A job with what the worker keeps beside it. */
interface KnownJob {
  readonly job: Job;
  readonly journal: JobJournal;
  /** It is being unregistered: nothing new begins. */
  isLeaving: boolean;
}

/** How long `close()` waits for a handover that can no longer be cancelled, where the journal has it. */
const defaultGraceMs = 5_000;
// The longest that setTimeout knows: a longer one fires at once.
const maxGraceMs = 2 ** 31 - 1;

/** The worker on a machine of the caller's. */
export class Worker implements MigrationWorker, ConnectionOwner<Holder> {
  readonly #deps: WorkerDeps;
  readonly #options: CheckedWorkerOptions;
  readonly #remover: Remover;
  readonly #jobs = new Map<string, KnownJob>();
  /** By the hashes of tokens. */
  readonly #holders = new Map<string, Holder>();
  readonly #listeners = new Set<WorkerEventListener>();
  #journal: Journal = noJournal;
  #server: JobSocketServer | undefined;
  #releaseJournal: () => Promise<void> = () => Promise.resolve();
  #closed: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Events of the start: whoever has started this worker shall hear what becomes of what it found. */
  #early: WorkerEvent[] | undefined;

  constructor(deps: WorkerDeps, options: MigrationWorkerOptions) {
    this.#deps = deps;
    this.#options = checkWorkerOptions(options);
    this.#remover = new Remover(deps.clock);
  }

  async listen(): Promise<void> {
    const { journalDirectory } = this.#options;
    if (journalDirectory !== undefined) {
      const { journal, records, release } = await this.#deps.openJournal(journalDirectory);
      this.#journal = journal;
      this.#releaseJournal = release;
      for (const record of records) this.#know(record, fromRecord(record)).journal.assumeWritten();
    }
    try {
      this.#server = await this.#deps.listen({ ...this.#options, ...this.#deps }, this);
    } catch (error) {
      await this.#releaseJournal();
      throw error;
    }
    this.#early = [];
    const jobs = this.#jobs.size;
    this.#emit({
      type: "listening",
      url: this.url,
      jobs,
      ...(journalDirectory === undefined ? {} : { journalDirectory }),
    });
    // Before any job can have connected: what the last worker was about to tell it holds no more.
    for (const { job } of this.#jobs.values()) this.#recover(job);
    setImmediate(() => {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const event of early) this.#tell(event);
    });
  }

  get url(): string {
    const { advertisedHost, port, tls } = this.#options;
    const host = advertisedHost.includes(":") ? `[${advertisedHost}]` : advertisedHost;
    return `${tls ? "wss" : "ws"}://${host}:${this.#server?.port ?? port}`;
  }

  register(jobId: string, { capabilities = [] }: RegisterOptions = {}): RegisteredJob {
    this.#throwIfClosed();
    checkJob(jobId, capabilities);
    if (this.#jobs.has(jobId)) {
      throw new MigrationWorkerError("job-exists", `job ${jobId} is registered already: unregister it first`);
    }
    const token = createToken();
    const id = hashToken(token);
    const { job, journal } = this.#know({ jobId, capabilities }, newJob(id));
    const failure = journal.write();
    if (failure !== undefined) {
      this.#jobs.delete(jobId);
      this.#holders.delete(id);
      journal.close();
      throw new MigrationWorkerError("journal-unusable", `job ${jobId} cannot be registered: ${failure}`);
    }
    return {
      jobId,
      env: this.#environment(job, job.state.active, token),
      attach: (placement) => {
        const checked = checkPlacement(placement, `attach of job ${jobId}`);
        if (!instanceById(job.state, id)) {
          const message = `attach of job ${jobId}: the instance that it was registered with has been replaced`;
          throw new MigrationWorkerError("unknown-job", `${message}: attach to the active one by jobs()`);
        }
        job.attach(id, checked);
      },
    };
  }

  jobs(): JobHandle[] {
    return [...this.#jobs.values()].map(({ job }) => {
      const { jobId } = job;
      const { migrationId } = job.state.active;
      return {
        jobId,
        ...(migrationId === undefined ? {} : { migrationId }),
        attach: (placement) => job.attach(job.state.active.id, checkPlacement(placement, `attach of job ${jobId}`)),
      };
    });
  }

  async unregister(jobId: string): Promise<void> {
    const known = this.#jobs.get(jobId);
    if (!known) return;
    const { job, journal } = known;
    known.isLeaving = true;
    job.cancel(`job ${jobId} is being unregistered`);
    await job.ended;
    if (this.#jobs.get(jobId) !== known) return;
    this.#jobs.delete(jobId);
    const failure = journal.remove(jobId);
    job.retireAll();
    if (failure !== undefined) this.#emit({ jobId, type: "journal-failed", reason: failure });
  }

  async handover(jobId: string, options: HandoverOptions): Promise<HandoverEnd> {
    return this.#handOver(jobId, checkHandoverOptions(options));
  }

  async dryRun(jobId: string, options: Pick<HandoverOptions, "deadlines" | "signal"> = {}): Promise<HandoverEnd> {
    const placeTarget = (): Promise<never> => Promise.reject(new Error("a dry run places nothing"));
    return this.#handOver(jobId, { ...checkHandoverOptions({ ...options, placeTarget }), isDryRun: true });
  }

  async #handOver(jobId: string, options: CheckedHandoverOptions): Promise<HandoverEnd> {
    this.#throwIfClosed();
    const { placeTarget, sourceLost, onIndeterminate, isDryRun, signal, deadlines } = options;
    const known = this.#jobs.get(jobId);
    if (!known) throw new MigrationWorkerError("unknown-job", `job ${jobId} is not registered`);
    const { job } = known;
    const migrationId = randomUUID();
    const refusal = known.isLeaving ? "the job is being unregistered" : job.refusal;
    const reason = refusal ?? (signal?.aborted ? cancellation(signal) : undefined);
    if (reason !== undefined) return { outcome: "refused", reason, jobId, migrationId, phasesMs: {} };
    const token = createToken();
    const targetId = hashToken(token);
    const cancel = (): void => {
      if (signal) job.cancel(cancellation(signal));
    };
    signal?.addEventListener("abort", cancel);
    try {
      return await job.handOver(
        { migrationId, targetId, sourceLost, onIndeterminate, isDryRun },
        {
          jobId,
          migrationId,
          deadlines,
          place: async (placing) => {
            const target = instanceById(job.state, targetId);
            if (!target) throw new Error("the handover has ended");
            this.#holders.set(targetId, { id: targetId, known });
            const env = this.#environment(job, target, token);
            return placedWithout(token, () => placeTarget({ jobId, migrationId, env, signal: placing }));
          },
        },
      );
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  subscribe(listener: WorkerEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(options: CloseOptions = {}): Promise<void> {
    const { graceMs = defaultGraceMs } = options ?? {};
    if (!(typeof graceMs === "number" && graceMs >= 0 && graceMs <= maxGraceMs)) {
      const message = `graceMs is ${String(graceMs)}: it must be a number of milliseconds from 0 to ${maxGraceMs}`;
      return Promise.reject(new MigrationWorkerError("invalid-option", message));
    }
    if (!this.#isClosing) {
      // Before any listener hears of a cancelled handover and asks for another one.
      this.#isClosing = true;
      this.#closed = this.#close(graceMs);
    }
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const jobs = [...this.#jobs.values()];
    for (const { job } of jobs) job.cancel("the worker is closing");
    const ended = Promise.allSettled(jobs.map(({ job }) => job.ended));
    // Without a journal nobody could end what is left: its deadlines are the only bound.
    await (this.#journal === noJournal ? ended : this.#atMost(graceMs, ended));
    for (const { job, journal } of jobs) {
      const { jobId } = job;
      job.abandon(
        new MigrationWorkerError("closed", `the handover of job ${jobId} is in the journal: the next worker ends it`),
      );
      journal.write();
      journal.close();
    }
    this.#remover.stop();
    await this.#server?.close();
    await this.#releaseJournal();
  }

  authenticate(token: string): Holder | undefined {
    return this.#holders.get(hashToken(token));
  }

  connected({ id, known: { job } }: Holder, connection: JobConnection, session: string | undefined): void {
    const instance = instanceById(job.state, id);
    if (!instance) return;
    const { side, migrationId, epoch } = instance;
    const { version } = connection;
    const migration = side === "target" && migrationId !== undefined ? { migration: { id: migrationId } } : {};
    const limits = { maxFrameBytes: this.#options.maxFrameBytes };
    const { pingIntervalMs } = LIMITS;
    connection.send(
      version === 2
        ? { type: "hello-ack", protocol: 2, worker: WORKER_NAME, epoch, limits, pingIntervalMs, ...migration }
        : { type: "hello-ack", ...migration },
    );
    // Before any listener hears of it: a handover that one begins knows of this connection already.
    job.connected(id, connection, session);
    this.#emit({ jobId: job.jobId, type: "connected", side, version });
  }

  reported({ id, known: { job } }: Holder, report: Report): Reception {
    const bounded = "reason" in report ? { ...report, reason: boundedReason(report.reason) } : report;
    const { violation, ignored } = job.input({ type: "report", from: id, report: bounded });
    return violation === undefined ? { ignored } : { violation };
  }

  rejected(code: number, reason: string, address: string): void {
    this.#emit({ type: "rejected", code, reason, address });
  }

  violated({ id, known: { job } }: Holder, reason: string): void {
    this.#emit({ jobId: job.jobId, type: "violation", side: instanceById(job.state, id)?.side ?? "source", reason });
  }

  disconnected({ id, known: { job } }: Holder, connection: JobConnection, code: number, reason: string): void {
    // A late close of an older connection says nothing about the newer one.
    if (!job.isCurrent(id, connection)) return;
    const side = instanceById(job.state, id)?.side ?? "source";
    this.#emit({ jobId: job.jobId, type: "disconnected", side, code, reason });
    job.disconnected(id);
  }

  #know(names: { jobId: string; capabilities: readonly string[] }, state: JobState): KnownJob {
    const { jobId } = names;
    const { clock } = this.#deps;
    const emit = (event: JobEvent): void => this.#emit({ jobId, ...event });
    const job: Job = new Job(names, state, {
      clock,
      remover: this.#remover,
      emit,
      write: () => journal.write(),
      retired: (id) => this.#holders.delete(id),
    });
    const journal = new JobJournal({
      clock,
      journal: this.#journal,
      record: () => toRecord(names, job.state),
      onFailure: (reason) => emit({ type: "journal-failed", reason }),
      onRecovery: () => job.written(),
    });
    const known = { job, journal, isLeaving: false };
    this.#jobs.set(jobId, known);
    for (const instance of [state.active, state.other]) {
      if (instance) this.#holders.set(instance.id, { id: instance.id, known });
    }
    return known;
  }

  #recover(job: Job): void {
    const { handover } = job.state;
    if (!handover) return;
    const { jobId } = job;
    const { migrationId } = handover.rules;
    const find = async (): Promise<Placement | undefined> => {
      const { recoverTarget } = this.#options;
      if (!recoverTarget) throw new Error("it may be left over, and no recoverTarget was given that could find it");
      const found = await recoverTarget({ jobId, migrationId });
      return found && checkPlacement(found, "recoverTarget");
    };
    job.recover({ deadlines: { ...DEFAULT_DEADLINES_MS, fencing: handover.fencingMs } }, recoverable(find));
  }

  #environment(job: Job, { side, migrationId }: InstanceState, token: string): Record<string, string> {
    const { jobId, capabilities } = job;
    return {
      [JOB_SOCKET_ENV.url]: this.url,
      [JOB_SOCKET_ENV.token]: token,
      [JOB_SOCKET_ENV.jobId]: jobId,
      [JOB_SOCKET_ENV.role]: side,
      ...(migrationId === undefined ? {} : { [JOB_SOCKET_ENV.migrationId]: migrationId }),
      ...(capabilities.length === 0 ? {} : { [JOB_SOCKET_ENV.capabilities]: capabilities.join(",") }),
    };
  }

  async #atMost(ms: number, settled: Promise<unknown>): Promise<void> {
    let stopTimer = (): unknown => undefined;
    const expired = new Promise<void>((resolve) => {
      stopTimer = this.#deps.clock.setTimer(resolve, ms);
    });
    await Promise.race([settled, expired]);
    stopTimer();
  }

  #emit(body: WorkerEventBody): void {
    const event: WorkerEvent = { ...body, atMs: this.#deps.clock.now() };
    if (this.#early) this.#early.push(event);
    else this.#tell(event);
  }

  #tell(event: WorkerEvent): void {
    for (const listener of this.#listeners) {
      try {
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch(warnOfListener);
      } catch (error) {
        warnOfListener(error);
      }
    }
  }

  #throwIfClosed(): void {
    if (this.#isClosing) throw new MigrationWorkerError("closed", "the worker is closing: start another one");
  }
}

/** A listener's mistake must be seen, but it must end neither a handover nor all jobs of this process. */
function warnOfListener(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`a listener of the migration worker threw: ${what}`, "MigrationWorkerWarning");
}

/** @throws MigrationWorkerError `invalid-option` */
function checkJob(jobId: string, capabilities: readonly string[]): void {
  const shown = `jobId is ${JSON.stringify(jobId)}`;
  if (typeof jobId !== "string" || jobId === "") {
    throw new MigrationWorkerError("invalid-option", `${shown}: it must be a non-empty string`);
  }
  if (Buffer.from(jobId).toString() !== jobId) {
    throw new MigrationWorkerError("invalid-option", `${shown}: it is not well-formed Unicode`);
  }
  if (!Array.isArray(capabilities) || !capabilities.every(isCapability)) {
    const message = `capabilities is ${JSON.stringify(capabilities)}: it must be an array of names without commas`;
    throw new MigrationWorkerError("invalid-option", message);
  }
}

/** Instances get theirs separated by commas. */
function isCapability(capability: unknown): boolean {
  return typeof capability === "string" && capability !== "" && !capability.includes(",");
}

function cancellation(signal: AbortSignal): string {
  return `cancelled: ${messageOf(signal.reason)}`;
}
