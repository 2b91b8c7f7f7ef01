import { LIMITS, PROTOCOL_VERSION, type ReportFrame } from "@changeover/migration-protocol";
import { MAX_DELAY_MS } from "../clock.js";
import { encodeReport, numberReport, whyOversized } from "../encode-report.js";
import type { MigrationClientErrorCode } from "../migration-client-error.js";
import type { ClientEffect, ClientInput, ClientState, ClientStep, LinkState } from "./client-state.js";
import { PREEMPTION_GRACE_MS } from "./due-timers.js";
import { CALLBACK_NAMES, type HandlerNames } from "./handler-names.js";
import { addReport, removeReports, replaceReport, type OutboxReport } from "./outbox.js";
import {
  acknowledge,
  COMMAND_OF,
  currentMigration,
  gaveUp,
  mayStillSend,
  receive,
  refused,
  report,
  resumed,
  stoppedMigration,
  type CommandFrame,
  type JobReportFrame,
} from "./session.js";
import {
  addTask,
  addTaskFirst,
  awaitedTasks,
  closeQuestions,
  isOpenQuestion,
  liftDeadlines,
  openQuestion,
  openQuestions,
  preempt,
  release,
  settleTask,
  startedTask,
  startNext,
  type Task,
} from "./task-queue.js";

// The refusal or abort is to arrive before the worker's own deadline, so that it hears a reason and not only a silence.
const DEADLINE_SHARE = 0.9;

/** The state as it is being changed, and what is to be done. */
type Turn = { -readonly [K in keyof ClientState]: ClientState[K] } & {
  readonly effects: ClientEffect[];
  readonly names: HandlerNames;
};

type InputType = ClientInput["type"];

/** An input of one type. */
type InputOf<T extends InputType> = Extract<ClientInput, { readonly type: T }>;

/** Everything that a client decides. Pure: the same state and input give the same state and effects. */
export function clientTransition(
  state: ClientState,
  input: ClientInput,
  names: HandlerNames = CALLBACK_NAMES,
): ClientStep {
  const turn: Turn = { ...state, effects: [], names };
  // All that is still of interest to a closed client is what becomes of its last reports.
  if (!turn.isClosed || (input.type !== "acknowledged" && input.type !== "command")) take(turn, input);
  const { running } = turn.queue;
  turn.queue = startNext(turn.queue);
  const task = startedTask(turn.queue, turn.queue.running);
  if (task && task.key !== running) turn.effects.push({ type: "run", task });
  const { effects, names: _, ...next } = turn;
  return { state: next, effects };
}

function take<T extends InputType>(turn: Turn, input: InputOf<T> & { readonly type: T }): void {
  const { type } = input;
  TAKE[type](turn, input);
}

/** What each input does. */
const TAKE: { readonly [T in InputType]: (turn: Turn, input: InputOf<T>) => void } = {
  acknowledged(turn, { ack }) {
    const id = ack.migration?.id;
    if (!turn.session.isAcknowledged && id !== undefined) {
      turn.outbox = { ...turn.outbox, reports: turn.outbox.reports.map((each) => ({ ...each, migrationId: id })) };
    }
    turn.session = acknowledge(turn.session, ack);
    turn.link = {
      isConnected: true,
      version: ack.protocol === PROTOCOL_VERSION ? 2 : 1,
      maxFrameBytes: ack.limits?.maxFrameBytes ?? LIMITS.maxFrameBytes,
    };
    const { role, current } = turn.session;
    log(turn, `connected as ${role}${role === "target" ? ` of ${current}` : ""}`);
    flush(turn);
    withdrawQuestions(turn);
  },
  lost(turn) {
    turn.link = { ...turn.link, isConnected: false };
    if (turn.isClosed) disconnect(turn);
    else withdrawQuestions(turn);
  },
  command(turn, { frame }) {
    const { type, migrationId } = frame;
    const { state, why, refuses } = receive(turn.session, frame);
    turn.session = state;
    if (why !== undefined) {
      log(turn, `${type} of ${migrationId} ${refuses ? "refused" : "ignored"}: ${why}`);
      if (refuses) deliverReason(turn, "state-refused", why, migrationId);
      return;
    }
    switch (type) {
      case "get-state":
        turn.queue = addTask(turn.queue, frame, withinMs(frame.deadlineMs ?? Infinity, turn.times.getStateTimeoutMs));
        break;
      case "abort":
        log(turn, `${migrationId} aborted by the worker: ${JSON.stringify(frame.reason)}`);
        abort(turn, frame, `the worker aborted ${migrationId}: ${frame.reason}`);
        break;
      case "committed":
        log(turn, `${migrationId} committed`);
        // The commit says that all was heard that mattered, before the acknowledgements that say so too.
        remove(turn, isOf(migrationId));
        turn.queue = closeQuestions(turn.queue, (task) => task.frame.migrationId === migrationId);
        turn.queue = addTask(
          liftDeadlines(turn.queue, (task) => task.frame.migrationId === migrationId),
          frame,
        );
        break;
      default:
        turn.queue = addTask(turn.queue, frame, frame.deadlineMs === undefined ? null : withinMs(frame.deadlineMs));
    }
  },
  "report-ack"(turn, { ack: { seq, ignored } }) {
    for (const { method } of remove(turn, (report) => report.seq === seq)) {
      if (ignored !== undefined) log(turn, `${method} was ignored by the worker: ${JSON.stringify(ignored)}`);
    }
    if (turn.isClosed) disconnectWhenDelivered(turn);
  },
  written(turn, { seq }) {
    // What was written to a socket counts as sent in version 1; in version 2 it is kept until it is acknowledged.
    if (turn.link.version === 1) remove(turn, (report) => report.seq === seq);
  },
  report(turn, { method, report: type, text }) {
    if (!permit(turn, method, type)) return;
    const { current } = turn.session;
    const command = COMMAND_OF[type];
    // A handler that still runs when its work has been reported holds nobody up.
    turn.queue = liftDeadlines(turn.queue, ({ frame }) => frame.type === command && frame.migrationId === current);
    deliver(turn, type, method, text, current ?? "");
  },
  abort(turn, { reason }) {
    const id = turn.isClosed ? undefined : currentMigration(turn.session)?.id;
    const questions = openQuestions(turn.queue).filter(({ frame }) => frame.migrationId === id);
    for (const question of questions) refuse(turn, question, reason);
    if (questions.length === 0) reportAbort(turn, reason);
  },
  answered(turn, { task, method, text }) {
    const question = openQuestion(turn.queue, task);
    if (!question) return;
    turn.queue = closeQuestions(turn.queue, ({ key }) => key === task);
    deliver(turn, "state", method, text, question.frame.migrationId);
  },
  refused(turn, { task, reason }) {
    refuse(turn, openQuestion(turn.queue, task), reason);
  },
  settled(turn, { task: key, failure }) {
    const task = startedTask(turn.queue, key);
    turn.queue = settleTask(turn.queue, key);
    if (!task || failure === undefined) return;
    log(turn, failure);
    fail(turn, task, failure);
  },
  "no-handler"(turn, { task: key }) {
    const task = startedTask(turn.queue, key);
    if (!task) return;
    turn.queue = settleTask(turn.queue, key);
    const { type, migrationId } = task.frame;
    // Whoever does not mind an end needs no handler for it.
    if (type === "abort" || type === "committed") return;
    const reason = `this job has no ${turn.names[type]} handler`;
    log(turn, `${type} of ${migrationId}: ${reason}`);
    // A target may have no use for a state. For the other answers the worker waits until its deadline is over.
    if (type !== "initial-state") fail(turn, task, reason);
  },
  "timed-out"(turn, { task: key }) {
    const { queue, names } = turn;
    const task = awaitedTasks(queue).find((each) => each.key === key);
    if (!task) return;
    const { frame, answerWithinMs } = task;
    const running = startedTask(queue, queue.running);
    const reason =
      running && !queue.started.includes(task)
        ? `the job was busy with ${names[running.frame.type]} for ${answerWithinMs} ms`
        : `${names[frame.type]} did not settle within ${answerWithinMs} ms`;
    log(turn, `${frame.type} of ${frame.migrationId}: ${reason}`);
    fail(turn, task, reason);
    fire(turn, (each) => each.key === key, "timed-out", reason);
  },
  "grace-over"(turn, { task: key }) {
    const task = startedTask(turn.queue, key);
    if (!task) return;
    const name = turn.names[task.frame.type];
    log(turn, `${name} has not settled within ${PREEMPTION_GRACE_MS} ms of its signal: going on without it`);
    turn.queue = release(turn.queue, key);
  },
  "resume-due"(turn) {
    const migration = stoppedMigration(turn.session);
    if (!migration) return;
    const { id: migrationId, epoch } = migration;
    const reason = `nothing was heard of the worker for ${turn.times.resumeAfterMs} ms after the output had stopped`;
    log(turn, `${migrationId} is given up: ${reason}`);
    turn.session = resumed(turn.session, migration);
    const frame = { type: "abort", migrationId, reason, ...(epoch === null ? {} : { epoch }) } as const;
    abort(turn, frame, reason);
    deliverReason(turn, "abort", reason, migrationId);
  },
  closed(turn, { why, isConnected }) {
    turn.isClosed = true;
    turn.link = { ...turn.link, isConnected };
    fire(turn, () => true, "closed", why);
    disconnectWhenDelivered(turn);
  },
  "flush-over": disconnect,
};

function disconnectWhenDelivered(turn: Turn): void {
  const { link, outbox } = turn;
  // Only version 2 ever says that a report has arrived.
  if (!link.isConnected || link.version === 1 || outbox.reports.length === 0) disconnect(turn);
}

function disconnect(turn: Turn): void {
  const undelivered = turn.outbox.reports.map(({ method }) => method);
  if (undelivered.length > 0) log(turn, `closed before the worker had acknowledged ${undelivered.join(", ")}`);
  turn.link = { ...turn.link, isConnected: false };
  turn.effects.push({ type: "disconnect" });
}

/** Whether the job may report this now; a payload is only looked at if so. */
export function mayReport({ isClosed, session }: ClientState, type: JobReportFrame["type"]): boolean {
  return !isClosed && report(session, type).why === undefined;
}

/** Why a report, which is yet to be made unless it has a `seq`, is larger than the worker takes, if it is. */
export function whyTooLarge(
  { link, outbox }: ClientState,
  { type, method, text, migrationId, seq = outbox.lastSeq + 1 }: Omit<OutboxReport, "seq"> & { readonly seq?: number },
): string | undefined {
  // The other reports have no payload, and are small.
  if (type !== "state" && type !== "target-ready" && type !== "source-stopped-output") return undefined;
  return whyOversized(method, frameText(link, text, migrationId, seq), link.maxFrameBytes);
}

function withinMs(deadlineMs: number, atMostMs = MAX_DELAY_MS): number {
  return Math.floor(Math.min(atMostMs, DEADLINE_SHARE * deadlineMs));
}

/** No report of a migration that is over may follow, and the job is to resume before it does anything else. */
function abort(turn: Turn, frame: Extract<CommandFrame, { type: "abort" }>, why: string): void {
  const { migrationId } = frame;
  drop(turn, isOf(migrationId));
  fire(turn, (task) => task.frame.migrationId === migrationId, "aborted", why);
  turn.queue = addTaskFirst(turn.queue, frame);
}

/** A worker of version 1 asks again on the next connection: an answer to what it asked before would be one too many. */
function withdrawQuestions(turn: Turn): void {
  if (turn.link.version === 2) return;
  fire(turn, isOpenQuestion, "disconnected", "the connection that asked for the state is gone");
}

function reportAbort(turn: Turn, reason: string): void {
  const migrationId = turn.session.current ?? "";
  if (!permit(turn, "abort", "abort")) return;
  turn.queue = liftDeadlines(turn.queue, (task) => task.frame.migrationId === migrationId && !isOpenQuestion(task));
  deliverReason(turn, "abort", reason, migrationId);
}

/** Whether a report makes sense now; it is dropped if not. */
function permit(turn: Turn, method: string, type: JobReportFrame["type"]): boolean {
  const judged = report(turn.session, type);
  const why = turn.isClosed ? "the client is closed" : judged.why;
  if (why === undefined) turn.session = judged.state;
  else log(turn, `${method} dropped: ${why}`);
  return why === undefined;
}

/**
 * A command cannot be carried out. A question is refused; a cutover command aborts its migration, unless its handler was
 * pre-empted: that has nothing left to abort.
 */
function fail(turn: Turn, task: Task, reason: string): void {
  refuse(turn, task, reason);
  const isInProgress = currentMigration(turn.session)?.id === task.frame.migrationId;
  if ("payload" in task.frame && !task.hasFired && isInProgress) reportAbort(turn, reason);
}

/** Answers a question by a no, unless it has its answer. */
function refuse(turn: Turn, question: Task | undefined, reason: string): void {
  if (!question || !isOpenQuestion(question)) return;
  const { migrationId } = question.frame;
  turn.queue = closeQuestions(turn.queue, ({ key }) => key === question.key);
  turn.session = refused(turn.session, migrationId);
  deliverReason(turn, "state-refused", reason, migrationId);
}

/** Sends all that is to be delivered on a new connection, as far as it still makes sense there. */
function flush(turn: Turn): void {
  drop(turn, (report) => !mayStillSend(turn.session, report, turn.link.version));
  for (const report of turn.outbox.reports) transmit(turn, fit(turn, report));
}

/** A report that was made for a worker that takes more would end this connection too, and every one after it. */
function fit(turn: Turn, report: OutboxReport): OutboxReport {
  const reason = whyTooLarge(turn, report);
  if (reason === undefined) return report;
  const type = isAnswer(report) ? "state-refused" : "abort";
  log(turn, `${type} instead of ${reason}`);
  turn.session = gaveUp(turn.session, report.migrationId);
  const fitting = { ...report, type, text: encodeReport(report.method, { type, reason }) } as const;
  turn.outbox = replaceReport(turn.outbox, fitting);
  return fitting;
}

function deliverReason(turn: Turn, type: "state-refused" | "abort", reason: string, migrationId: string): void {
  const method = type === "abort" ? type : "refuseState";
  deliver(turn, type, method, encodeReport(method, { type, reason }), migrationId);
}

function deliver(turn: Turn, type: ReportFrame["type"], method: string, text: string, migrationId: string): void {
  turn.outbox = addReport(turn.outbox, { type, method, text, migrationId });
  for (const added of turn.outbox.reports.slice(-1)) transmit(turn, added);
}

function transmit(turn: Turn, report: OutboxReport): void {
  const { link, effects } = turn;
  const { seq, text, migrationId } = report;
  if (link.isConnected) effects.push({ type: "send", seq, text: frameText(link, text, migrationId, seq) });
  // A worker of version 1 asks for the state again on the next connection: an answer to an older question never waits.
  if (link.version === 1 && isAnswer(report)) remove(turn, (each) => each.seq === seq);
}

function drop(turn: Turn, matches: (report: OutboxReport) => boolean): void {
  for (const { method } of remove(turn, matches)) {
    log(turn, `${method} dropped: its migration is not in progress any more`);
  }
}

function remove(turn: Turn, matches: (report: OutboxReport) => boolean): readonly OutboxReport[] {
  const removed = turn.outbox.reports.filter(matches);
  turn.outbox = removeReports(turn.outbox, matches);
  return removed;
}

function fire(turn: Turn, matches: (task: Task) => boolean, code: MigrationClientErrorCode, message: string): void {
  for (const task of turn.queue.started) {
    if (!task.hasFired && matches(task)) turn.effects.push({ type: "fire", task: task.key, code, message });
  }
  turn.queue = preempt(turn.queue, matches);
}

function log(turn: Turn, line: string): void {
  turn.effects.push({ type: "log", line });
}

function frameText({ version }: LinkState, text: string, migrationId: string, seq: number): string {
  return version === 1 ? text : numberReport(text, migrationId, seq);
}

function isAnswer({ type }: OutboxReport): boolean {
  return type === "state" || type === "state-refused";
}

function isOf(id: string): (part: { readonly migrationId: string }) => boolean {
  return ({ migrationId }) => migrationId === id;
}
