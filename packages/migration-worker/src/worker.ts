import { randomUUID } from "node:crypto";
import {
  CLOSE_CODE,
  DEFAULT_DEADLINES_MS,
  JOB_SOCKET_ENV,
  LIMITS,
  type CommandFrame,
  type CommittedFrame,
  type WorkerAbortFrame,
} from "@changeover/migration-protocol";
import { messageOf, MigrationWorkerError } from "./errors.js";
import type { WorkerEvent, WorkerEventBody, WorkerEventListener } from "./events.js";
import { checkHandoverOptions, type CheckedHandoverOptions } from "./handover-options.js";
import type { End, HandoverEnd } from "./handover/end.js";
import { HandoverRun } from "./handover/handover-run.js";
import type { Side } from "./handover/transition.js";
import type { ConnectionOwner, JobConnection, Reception, Report } from "./job-connection.js";
import { Job, mayReport, type Instance } from "./job.js";
import type { JobSocketServer } from "./job-socket-server.js";
import { inFlightAt } from "./in-flight.js";
import { noJournal, type InFlight, type Journal } from "./journal.js";
import type {
  HandoverOptions,
  JobHandle,
  MigrationWorker,
  MigrationWorkerOptions,
  RegisteredJob,
  RegisterOptions,
} from "./migration-worker.js";
import { checkPlacement, type Placement } from "./placement.js";
import { createToken, hashToken } from "./token.js";
import type { WorkerDeps } from "./worker-deps.js";
import { WORKER_NAME } from "./worker-name.js";
import { checkWorkerOptions, type CheckedWorkerOptions } from "./worker-options.js";

/** How long to wait before a write to the journal, or a removal after a restart, is tried again. */
const retryMs = 1_000;

/** The worker on a machine of the caller's. */
export class Worker implements MigrationWorker, ConnectionOwner<Instance> {
  readonly #deps: WorkerDeps;
  readonly #options: CheckedWorkerOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<WorkerEventListener>();
  #journal: Journal = noJournal;
  #server: JobSocketServer | undefined;
  #closed: Promise<void> | undefined;
  #isShut = false;

  constructor(deps: WorkerDeps, options: MigrationWorkerOptions) {
    this.#deps = deps;
    this.#options = checkWorkerOptions(options);
  }

  async listen(): Promise<void> {
    const { journalDirectory } = this.#options;
    const left: { job: Job; handover: InFlight }[] = [];
    if (journalDirectory !== undefined) {
      const { journal, records } = this.#deps.openJournal(journalDirectory);
      this.#journal = journal;
      for (const record of records) {
        const job = Job.restore(record);
        this.#jobs.set(job.jobId, job);
        if (record.handover) left.push({ job, handover: record.handover });
        settleLeftover(job);
        this.#persist(job);
        this.#instances.set(job.active.tokenHash, job.active);
      }
    }
    this.#server = await this.#deps.listen({ ...this.#options, ...this.#deps }, this);
    // Whoever has started this worker shall hear what becomes of it.
    setImmediate(() => {
      for (const { job, handover } of left) void this.#recover(job, handover);
    });
  }

  get url(): string {
    const { advertisedHost, port, tls } = this.#options;
    const host = advertisedHost.includes(":") ? `[${advertisedHost}]` : advertisedHost;
    return `${tls ? "wss" : "ws"}://${host}:${this.#server?.port ?? port}`;
  }

  register(jobId: string, { capabilities = [] }: RegisterOptions = {}): RegisteredJob {
    this.#throwIfClosed();
    if (typeof jobId !== "string" || jobId === "") {
      throw new MigrationWorkerError(
        "invalid-option",
        `jobId is ${JSON.stringify(jobId)}: it must be a non-empty string`,
      );
    }
    if (Buffer.from(jobId).toString() !== jobId) {
      throw new MigrationWorkerError(
        "invalid-option",
        `jobId is ${JSON.stringify(jobId)}: it is not well-formed Unicode`,
      );
    }
    if (!Array.isArray(capabilities) || !capabilities.every((capability) => typeof capability === "string")) {
      const message = `capabilities is ${JSON.stringify(capabilities)}: it must be an array of strings`;
      throw new MigrationWorkerError("invalid-option", message);
    }
    if (this.#jobs.has(jobId)) {
      throw new MigrationWorkerError("job-exists", `job ${jobId} is registered already: unregister it first`);
    }
    const token = createToken();
    const tokenHash = hashToken(token);
    const job = new Job(jobId, capabilities, tokenHash);
    const first = job.active;
    this.#jobs.set(jobId, job);
    const failure = this.#persist(job);
    if (failure !== undefined) {
      this.#jobs.delete(jobId);
      job.stopRetry?.();
      throw new MigrationWorkerError("journal-unusable", `job ${jobId} cannot be registered: ${failure}`);
    }
    this.#instances.set(tokenHash, first);
    return {
      jobId,
      env: this.#environment(first, token),
      attach: (placement) => this.#attach(first, checkPlacement(placement, `attach of job ${jobId}`)),
    };
  }

  jobs(): JobHandle[] {
    return [...this.#jobs.values()].map((job) => ({
      jobId: job.jobId,
      attach: (placement) => this.#attach(job.active, checkPlacement(placement, `attach of job ${job.jobId}`)),
    }));
  }

  async unregister(jobId: string): Promise<void> {
    const job = this.#jobs.get(jobId);
    if (!job) return;
    job.isLeaving = true;
    job.handover?.run.input({ type: "cancel", reason: `job ${jobId} is being unregistered` });
    await job.handover?.run.ended;
    if (this.#jobs.get(jobId) !== job) return;
    this.#jobs.delete(jobId);
    job.stopRetry?.();
    this.#retire(job.active);
    try {
      this.#journal.remove(jobId);
    } catch (error) {
      this.#emit({ jobId, type: "journal-failed", reason: messageOf(error) });
    }
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
    const job = this.#jobs.get(jobId);
    if (!job) throw new MigrationWorkerError("unknown-job", `job ${jobId} is not registered`);
    const migrationId = randomUUID();
    const refusal = refusalOf(job, signal);
    if (refusal !== undefined) return { outcome: "refused", reason: refusal, jobId, migrationId, phasesMs: {} };
    const source = job.active;
    const epoch = ++job.epoch;
    const token = createToken();
    const target: Instance = { job, tokenHash: hashToken(token), side: "target", migrationId, epoch, lastSeq: 0 };
    const handover: { run: HandoverRun; target?: Instance } = {
      run: new HandoverRun(
        { jobId, migrationId, sourceLost, isDryRun, deadlines, isSourceConnected: source.connection !== undefined },
        {
          clock: this.#deps.clock,
          get sourcePlacement() {
            return source.placement;
          },
          emit: (event) => this.#emit({ jobId, ...event }),
          send: (side, frame, deadlineMs) => {
            const instance = side === "source" ? source : handover.target;
            if (instance) sendCommand(instance, frame, deadlineMs);
          },
          persist: (state) => {
            // Its token must be known before there is anybody who has it.
            if (state.step.at === "place") handover.target = target;
            const inFlight = inFlightAt(state, handover.target);
            if (inFlight) job.inFlight = inFlight;
            else delete job.inFlight;
            return this.#persist(job);
          },
          placeTarget: async (placing) => {
            this.#instances.set(target.tokenHash, target);
            return placeTarget({ jobId, migrationId, env: this.#environment(target, token), signal: placing });
          },
          targetPlaced: (placement) => {
            if (handover.target) this.#attach(handover.target, placement);
          },
          resumeSource: (reason, mayHaveStopped) => this.#resume(source, migrationId, reason, mayHaveStopped),
          promoteTarget: () => {
            if (!handover.target) return;
            handover.target.side = "source";
            job.active = handover.target;
            for (const instance of [handover.target, source]) {
              instance.owed = { type: "committed", migrationId, epoch };
              sendOwed(instance);
            }
          },
        },
      ),
    };
    job.handover = handover;
    const cancel = (): void => {
      if (signal) handover.run.input({ type: "cancel", reason: cancellation(signal) });
    };
    signal?.addEventListener("abort", cancel);
    handover.run.start();
    const end = await handover.run.ended;
    signal?.removeEventListener("abort", cancel);
    delete job.handover;
    if (end.outcome === "completed") {
      delete job.inFlight;
      this.#persist(job);
    }
    if (end.outcome === "indeterminate" && handover.target) {
      if (onIndeterminate === "hold") this.#hold(handover.target, source);
      else this.#release(source, migrationId, `${end.reason}; the source resumes all the same`);
    }
    for (const instance of [source, handover.target]) {
      if (instance && instance !== job.active) this.#retire(instance);
    }
    this.#emit({ jobId, type: "ended", migrationId, end });
    return end;
  }

  subscribe(listener: WorkerEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const inFlight = [...this.#jobs.values()].flatMap(({ handover }) => handover ?? []);
    for (const { run } of inFlight) run.input({ type: "cancel", reason: "the worker is closing" });
    await Promise.all(inFlight.map(({ run }) => run.ended));
    for (const job of this.#jobs.values()) {
      this.#persist(job);
      job.stopRetry?.();
    }
    this.#isShut = true;
    await this.#server?.close();
  }

  authenticate(token: string): Instance | undefined {
    return this.#instances.get(hashToken(token));
  }

  connected(instance: Instance, connection: JobConnection, session: string | undefined): void {
    const { job, side, migrationId, epoch, connection: older } = instance;
    const { version } = connection;
    instance.connection = connection;
    older?.close(CLOSE_CODE.superseded, "a newer connection of this instance took over");
    if (session !== undefined && session !== instance.session) {
      instance.session = session;
      instance.lastSeq = 0;
    }
    const migration = side === "target" && migrationId !== undefined ? { migration: { id: migrationId } } : {};
    const limits = { maxFrameBytes: this.#options.maxFrameBytes };
    const { pingIntervalMs } = LIMITS;
    connection.send(
      version === 2
        ? { type: "hello-ack", protocol: 2, worker: WORKER_NAME, epoch, limits, pingIntervalMs, ...migration }
        : { type: "hello-ack", ...migration },
    );
    sendOwed(instance);
    // Before any listener hears of it: a handover that one begins knows of this connection already.
    const sideInHandover = this.#sideInHandover(instance);
    this.#runOf(instance)?.input({ type: "connected", side: sideInHandover, canRepeat: version === 2 });
    this.#emit({ jobId: job.jobId, type: "connected", side, version });
  }

  reported(instance: Instance, report: Report): Reception {
    if (!mayReport(instance, report.type)) {
      return { violation: `${report.type} cannot come from a ${instance.side}` };
    }
    if ("seq" in report) {
      if (report.seq <= instance.lastSeq) return { ignored: "it has been taken already" };
      instance.lastSeq = report.seq;
    }
    return { ignored: this.#take(instance, report) };
  }

  /** Takes a report and returns why it changes nothing, where that is so. */
  #take(instance: Instance, report: Report): string | undefined {
    const run = this.#runOf(instance);
    const isOfAnother = run && "migrationId" in report && report.migrationId !== run.migrationId;
    if (!run || isOfAnother) {
      const reason = isOfAnother ? `migration ${run.migrationId} is in flight` : "no handover of this job is in flight";
      this.#emit({ jobId: instance.job.jobId, type: "ignored", what: report.type, reason });
      return reason;
    }
    // An answer means that the source is past whatever it was told before.
    if (report.type === "state" || report.type === "state-refused") delete instance.owed;
    return run.input({ ...report, side: this.#sideInHandover(instance) });
  }

  rejected(code: number, reason: string, address: string): void {
    this.#emit({ type: "rejected", code, reason, address });
  }

  violated({ job, side }: Instance, reason: string): void {
    this.#emit({ jobId: job.jobId, type: "violation", side, reason });
  }

  disconnected(instance: Instance, connection: JobConnection, code: number, reason: string): void {
    // A late close of an older connection says nothing about the newer one.
    if (instance.connection !== connection) return;
    delete instance.connection;
    this.#emit({ jobId: instance.job.jobId, type: "disconnected", side: instance.side, code, reason });
    this.#runOf(instance)?.input({ type: "disconnected", side: this.#sideInHandover(instance) });
  }

  #runOf(instance: Instance): HandoverRun | undefined {
    return instance.job.handover?.run;
  }

  /** A target that has been promoted stays the target of the handover that is still ending. */
  #sideInHandover(instance: Instance): Side {
    return instance.job.handover?.target === instance ? "target" : "source";
  }

  #attach(instance: Instance, placement: Placement): void {
    instance.placement = placement;
    void this.#whenGone(placement, (reason) => {
      if (!this.#instances.has(instance.tokenHash)) return;
      this.#emit({ jobId: instance.job.jobId, type: "gone", side: instance.side, reason });
    });
  }

  async #whenGone(placement: Placement, then: (reason: string) => void): Promise<void> {
    try {
      const { reason } = await placement.gone;
      then(reason);
    } catch {
      // A placement that cannot tell is reported by the handover that needs to know.
    }
  }

  /** Tells a source to carry on, now or when it is back. */
  #resume(source: Instance, migrationId: string, reason: string, mayHaveStopped: boolean): void {
    const abort: WorkerAbortFrame = { type: "abort", migrationId, reason };
    // What a source that may have stopped is owed is never replaced by what it could do without.
    if (mayHaveStopped || source.owed === undefined) source.owed = abort;
    // The target may have written under its epoch: what the source writes from now on must be newer.
    if (mayHaveStopped) source.epoch = ++source.job.epoch;
    this.#persist(source.job);
    sendCommand(source, abort, undefined);
    this.#emit({ jobId: source.job.jobId, type: "resuming", migrationId, reason });
  }

  /** Keeps the source silent for as long as the target may be active. */
  #hold(target: Instance, source: Instance): void {
    const { job, migrationId = "", placement } = target;
    job.unfenced = { migrationId };
    if (placement)
      void this.#whenGone(placement, (reason) => {
        this.#release(source, migrationId, `the target is gone: ${reason}`);
      });
  }

  /** The doubt about a target is over: the source resumes. */
  #release(source: Instance, migrationId: string, reason: string): void {
    const { job } = source;
    delete job.unfenced;
    delete job.inFlight;
    this.#resume(source, migrationId, reason, true);
  }

  /** Ends what a worker that has died left over of a handover, by the rules that it would have ended it by. */
  async #recover(job: Job, { migrationId, phase, target, mayBeActive, isSourceGone }: InFlight): Promise<void> {
    const { jobId, active } = job;
    const reason = "the worker was restarted";
    const aborted: End = { outcome: "aborted", phase, reason, active: isSourceGone ? "none" : "source" };
    let isEnded = false;
    const ended = (end: End): void => {
      if (!isEnded)
        this.#emit({ jobId, type: "ended", migrationId, end: { ...end, jobId, migrationId, phasesMs: {} } });
      isEnded = true;
    };
    const leftBehind = (side: Side, why: string): void => {
      this.#emit({ jobId, type: "remove-failed", migrationId, side, reason: why });
    };
    if (phase === "commit") {
      if (!isSourceGone) leftBehind("source", "the worker was restarted before the source was known to be gone");
      return ended({ outcome: "completed" });
    }
    const inDoubt = (why: string): void => {
      ended(mayBeActive ? { outcome: "indeterminate", phase, reason: `${reason}; then ${why}` } : aborted);
    };
    const stopTimer = this.#deps.clock.setTimer(() => {
      inDoubt(`the target was not known to be gone within ${DEFAULT_DEADLINES_MS.fencing} ms`);
    }, DEFAULT_DEADLINES_MS.fencing);
    try {
      const left = target && (await this.#findTarget({ jobId, migrationId }));
      if (left) {
        const removed = this.#removeUntilGone(left, (why) => leftBehind("target", why));
        await (mayBeActive ? left.gone : removed);
      }
    } catch (error) {
      leftBehind("target", messageOf(error));
      if (mayBeActive) return inDoubt(messageOf(error));
    } finally {
      stopTimer();
    }
    if (mayBeActive) {
      if (isSourceGone) delete job.unfenced;
      else this.#release(active, migrationId, reason);
    }
    if (job.inFlight?.migrationId === migrationId) delete job.inFlight;
    this.#persist(job);
    ended(aborted);
  }

  /** Removes what a dead worker has left, again and again until that succeeds or the instance is gone by itself. */
  async #removeUntilGone(placement: Placement, onFailure: (reason: string) => void): Promise<void> {
    const watch = { isGone: false };
    void this.#whenGone(placement, () => {
      watch.isGone = true;
    });
    while (!watch.isGone && !this.#closed) {
      try {
        return await placement.remove();
      } catch (error) {
        onFailure(messageOf(error));
      }
      await new Promise<void>((resolve) => this.#deps.clock.setTimer(resolve, retryMs));
    }
  }

  async #findTarget(request: { jobId: string; migrationId: string }): Promise<Placement | undefined> {
    const { recoverTarget } = this.#options;
    if (!recoverTarget) throw new Error("it may be left over, and no recoverTarget was given that could find it");
    const found = await recoverTarget(request);
    return found && checkPlacement(found, "recoverTarget");
  }

  /** Writes a job down if it has changed; says why that failed, and tries again until it succeeds. */
  #persist(job: Job): string | undefined {
    // What was unregistered, or belongs to a worker that has ended, must not come back.
    if (this.#journal === noJournal || this.#jobs.get(job.jobId) !== job || this.#isShut) return undefined;
    const record = job.record();
    const text = JSON.stringify(record);
    job.stopRetry?.();
    delete job.stopRetry;
    if (text === job.written) return undefined;
    try {
      this.#journal.write(record);
      job.written = text;
      return undefined;
    } catch (error) {
      const reason = messageOf(error);
      job.stopRetry = this.#deps.clock.setTimer(() => void this.#persist(job), retryMs);
      this.#emit({ jobId: job.jobId, type: "journal-failed", reason });
      return reason;
    }
  }

  #retire(instance: Instance): void {
    this.#instances.delete(instance.tokenHash);
    instance.connection?.close(CLOSE_CODE.unknownToken, "this instance is no longer part of the job");
  }

  #environment({ job, side, migrationId }: Instance, token: string): Record<string, string> {
    return {
      [JOB_SOCKET_ENV.url]: this.url,
      [JOB_SOCKET_ENV.token]: token,
      [JOB_SOCKET_ENV.jobId]: job.jobId,
      [JOB_SOCKET_ENV.role]: side,
      ...(migrationId === undefined ? {} : { [JOB_SOCKET_ENV.migrationId]: migrationId }),
      ...(job.capabilities.length === 0 ? {} : { [JOB_SOCKET_ENV.capabilities]: job.capabilities.join(",") }),
    };
  }

  #emit(body: WorkerEventBody): void {
    const event: WorkerEvent = { ...body, atMs: this.#deps.clock.now() };
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // A listener's mistake must be seen, but it must end neither a handover nor all jobs of this process.
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.emitWarning(`a listener of the migration worker threw: ${what}`, "MigrationWorkerWarning");
      }
    }
  }

  #throwIfClosed(): void {
    if (this.#closed) throw new MigrationWorkerError("closed", "the worker is closing: start another one");
  }
}

function sendCommand({ connection, epoch }: Instance, frame: CommandFrame, deadlineMs: number | undefined): void {
  if (connection?.version === 2) {
    connection.send({ ...frame, epoch, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
  } else {
    connection?.send(frame);
  }
}

function sendOwed(instance: Instance): void {
  const { owed, connection } = instance;
  if (owed?.type === "abort") sendCommand(instance, owed, undefined);
  else if (owed && connection?.version === 2) connection.send(owed);
}

/** What follows from the journal alone for a handover that a worker which has died left over. */
function settleLeftover(job: Job): void {
  const { inFlight, active } = job;
  if (!inFlight) return;
  const { migrationId, phase, target } = inFlight;
  if (phase === "commit" && target) {
    const owed: CommittedFrame = { type: "committed", migrationId, epoch: target.epoch };
    job.active = { job, side: "source", migrationId, lastSeq: 0, owed, ...target };
    delete job.inFlight;
  } else if (inFlight.mayBeActive) {
    job.unfenced = { migrationId };
  } else if (inFlight.mayHaveStopped || active.owed === undefined) {
    active.owed = { type: "abort", migrationId, reason: "the worker was restarted" };
  }
}

/** Why a handover cannot begin. */
function refusalOf({ handover, unfenced, isLeaving }: Job, signal: AbortSignal | undefined): string | undefined {
  if (isLeaving) return "the job is being unregistered";
  if (handover) return `handover ${handover.run.migrationId} of this job is in flight`;
  if (unfenced) {
    return `the target of handover ${unfenced.migrationId} may be active: it is not known to be gone, so remove it first`;
  }
  return signal?.aborted ? cancellation(signal) : undefined;
}

function cancellation(signal: AbortSignal): string {
  const { reason } = signal;
  return `cancelled: ${reason instanceof Error ? reason.message : String(reason)}`;
}
