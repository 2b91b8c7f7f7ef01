import {
  LIMITS,
  PROTOCOL_VERSION,
  type HelloAckFrame,
  type ReportAckFrame,
  type ReportFrame,
} from "@changeover/migration-protocol";
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

/** Everything that a client decides. Pure: the same state and input give the same state and effects. */
export function clientTransition(
  state: ClientState,
  input: ClientInput,
  names: HandlerNames = CALLBACK_NAMES,
): ClientStep {
  const turn: Turn = { ...state, effects: [], names };
  take(turn, input);
  const { state: queue, task } = startNext(turn.queue);
  if (task) turn.effects.push({ type: "run", task });
  const { effects, names: _, ...next } = turn;
  return { state: { ...next, queue }, effects };
}

function take(turn: Turn, input: ClientInput): void {
  // All that is still of interest is what becomes of the last reports.
  if (turn.isClosed && (input.type === "acknowledged" || input.type === "command")) return;
  switch (input.type) {
    case "acknowledged":
      acknowledged(turn, input.ack);
      break;
    case "lost":
      turn.link = { ...turn.link, isConnected: false };
      if (turn.isClosed) disconnect(turn);
      else if (turn.link.version === 1) withdrawAll(turn);
      break;
    case "command":
      command(turn, input.frame);
      break;
    case "report-ack":
      reportAcknowledged(turn, input.ack);
      if (turn.isClosed) disconnectWhenDelivered(turn);
      break;
    case "written":
      // What was written to a socket counts as sent in version 1; in version 2 it is kept until it is acknowledged.
      if (turn.link.version === 1) remove(turn, ({ seq }) => seq === input.seq);
      break;
    case "report":
      if (permit(turn, input.method, input.report)) {
        const { current } = turn.session;
        const command = COMMAND_OF[input.report];
        // A handler that still runs when its work has been reported holds nobody up.
        turn.queue = liftDeadlines(turn.queue, ({ frame }) => frame.type === command && frame.migrationId === current);
        deliver(turn, input.report, input.method, input.text, current ?? "");
      }
      break;
    case "abort":
      giveUp(turn, input.reason);
      break;
    case "answered":
      answered(turn, input.task, input.method, input.text);
      break;
    case "refused":
      refuse(turn, openQuestion(turn.queue, input.task), input.reason);
      break;
    case "settled":
      settled(turn, input.task, input.failure);
      break;
    case "no-handler":
      noHandler(turn, input.task);
      break;
    case "timed-out":
      timedOut(turn, input.task);
      break;
    case "grace-over":
      graceOver(turn, input.task);
      break;
    case "resume-due":
      resume(turn);
      break;
    case "closed":
      turn.isClosed = true;
      turn.link = { ...turn.link, isConnected: input.isConnected };
      fire(turn, () => true, "closed", input.why);
      disconnectWhenDelivered(turn);
      break;
    case "flush-over":
      disconnect(turn);
  }
}

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

function acknowledged(turn: Turn, ack: HelloAckFrame): void {
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
  log(turn, role === "target" ? `connected as target of ${current ?? ""}` : "connected as source");
  flush(turn);
  if (turn.link.version === 1) withdrawAll(turn);
}

function command(turn: Turn, frame: CommandFrame): void {
  const { type, migrationId } = frame;
  const { state, why, refuses } = receive(turn.session, frame);
  turn.session = state;
  if (why !== undefined) {
    log(turn, `${type} of ${migrationId} ${refuses ? "refused" : "ignored"}: ${why}`);
    if (refuses) deliverReason(turn, "state-refused", why, migrationId);
    return;
  }
  const isOfIt = (task: Task): boolean => task.frame.migrationId === migrationId;
  switch (frame.type) {
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
      remove(turn, (report) => report.migrationId === migrationId);
      turn.queue = closeQuestions(turn.queue, isOfIt);
      turn.queue = addTask(liftDeadlines(turn.queue, isOfIt), frame);
      break;
    default:
      turn.queue = addTask(turn.queue, frame, frame.deadlineMs === undefined ? null : withinMs(frame.deadlineMs));
  }
}

function withinMs(deadlineMs: number, atMostMs = MAX_DELAY_MS): number {
  return Math.floor(Math.min(atMostMs, DEADLINE_SHARE * deadlineMs));
}

function abort(turn: Turn, frame: Extract<CommandFrame, { type: "abort" }>, why: string): void {
  dropOf(turn, frame.migrationId);
  fire(turn, (task) => task.frame.migrationId === frame.migrationId, "aborted", why);
  turn.queue = addTaskFirst(turn.queue, frame);
}

/** No report of a migration that is over may follow. */
function dropOf(turn: Turn, migrationId: string): void {
  drop(turn, (report) => report.migrationId === migrationId);
}

function resume(turn: Turn): void {
  const migration = stoppedMigration(turn.session);
  if (!migration) return;
  const { id: migrationId, epoch } = migration;
  const reason = `nothing was heard of the worker for ${turn.times.resumeAfterMs} ms after the output had stopped`;
  log(turn, `${migrationId} is given up: ${reason}`);
  turn.session = resumed(turn.session, migration);
  const frame = { type: "abort", migrationId, reason, ...(epoch === null ? {} : { epoch }) } as const;
  abort(turn, frame, reason);
  deliverReason(turn, "abort", reason, migrationId);
}

/** A worker of version 1 asks again on the next connection: an answer to what it asked before would be one too many. */
function withdrawAll(turn: Turn): void {
  fire(turn, isOpenQuestion, "disconnected", "the connection that asked for the state is gone");
}

function giveUp(turn: Turn, reason: string): void {
  const questions = turn.isClosed ? [] : questionsOf(turn, currentMigration(turn.session)?.id);
  for (const question of questions) refuse(turn, question, reason);
  if (questions.length === 0) reportAbort(turn, reason);
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

function settled(turn: Turn, key: number, failure: string | undefined): void {
  const task = startedTask(turn, key);
  turn.queue = settleTask(turn.queue, key);
  if (!task || failure === undefined) return;
  refuse(turn, task, failure);
  log(turn, failure);
  fail(turn, task, failure);
}

function noHandler(turn: Turn, key: number): void {
  const task = startedTask(turn, key);
  if (!task) return;
  turn.queue = settleTask(turn.queue, key);
  const { type, migrationId } = task.frame;
  const reason = `this job has no ${turn.names[type]} handler`;
  refuse(turn, task, reason);
  if (!("payload" in task.frame)) return;
  // A target may have no use for a state. For the other answers the worker waits until its deadline is over.
  const isNeeded = type !== "initial-state";
  log(turn, `${type} of ${migrationId} ${isNeeded ? "aborts it" : "has no effect"}: ${reason}`);
  if (isNeeded) fail(turn, task, reason);
}

/** A cutover command that fails aborts its migration, unless its handler was pre-empted: that has nothing left to abort. */
function fail(turn: Turn, { frame, hasFired }: Task, reason: string): void {
  const isInProgress = currentMigration(turn.session)?.id === frame.migrationId;
  if ("payload" in frame && !hasFired && isInProgress) reportAbort(turn, reason);
}

function timedOut(turn: Turn, key: number): void {
  const { queue } = turn;
  const task = awaitedTasks(queue).find((each) => each.key === key);
  if (!task) return;
  const { frame, answerWithinMs } = task;
  const isQuestion = frame.type === "get-state";
  const busyWith = queue.started.find((task) => task.key === queue.running)?.frame.type;
  const reason = queue.started.includes(task)
    ? `${turn.names[frame.type]} did not ${isQuestion ? "answer" : "settle"} within ${answerWithinMs} ms`
    : `the job was busy with ${busyWith && turn.names[busyWith]} for ${answerWithinMs} ms`;
  log(turn, `${reason}: ${frame.type} of ${frame.migrationId} ${isQuestion ? "refused" : "aborts it"}`);
  refuse(turn, task, reason);
  fail(turn, task, reason);
  fire(turn, (each) => each.key === key, "timed-out", reason);
}

function graceOver(turn: Turn, key: number): void {
  const task = startedTask(turn, key);
  if (!task) return;
  const { type, migrationId } = task.frame;
  log(
    turn,
    `${turn.names[type]} of ${migrationId} has not settled within ${PREEMPTION_GRACE_MS} ms: going on without it`,
  );
  turn.queue = release(turn.queue, key);
}

function answered(turn: Turn, key: number, method: string, text: string): void {
  const question = openQuestion(turn.queue, key);
  if (!question) return;
  turn.queue = closeQuestions(turn.queue, ({ key }) => key === question.key);
  deliver(turn, "state", method, text, question.frame.migrationId);
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
  const method = type === "abort" ? "abort" : "refuseState";
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

function reportAcknowledged(turn: Turn, { seq, ignored }: ReportAckFrame): void {
  for (const { method } of remove(turn, (report) => report.seq === seq)) {
    if (ignored !== undefined) log(turn, `${method} was ignored by the worker: ${JSON.stringify(ignored)}`);
  }
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
  const { state, fired } = preempt(turn.queue, matches);
  turn.queue = state;
  for (const { key: task } of fired) turn.effects.push({ type: "fire", task, code, message });
}

function log(turn: Turn, line: string): void {
  turn.effects.push({ type: "log", line });
}

function questionsOf({ queue }: ClientState, migrationId: string | undefined): readonly Task[] {
  return openQuestions(queue).filter(({ frame }) => frame.migrationId === migrationId);
}

function startedTask({ queue }: ClientState, key: number): Task | undefined {
  return queue.started.find((task) => task.key === key);
}

function frameText({ version }: LinkState, text: string, migrationId: string, seq: number): string {
  return version === 1 ? text : numberReport(text, migrationId, seq);
}

function isAnswer({ type }: OutboxReport): boolean {
  return type === "state" || type === "state-refused";
}
