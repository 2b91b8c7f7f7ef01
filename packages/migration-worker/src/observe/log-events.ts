import type { WorkerEvent } from "../events.js";
import type { HandoverEnd } from "../handover/end.js";
import type { MigrationWorker } from "../migration-worker.js";

/** What a logger must have for `logEvents`: pino's do, and so does `console`. */
export interface EventLogger {
  debug(event: WorkerEvent, message: string): void;
  info(event: WorkerEvent, message: string): void;
  warn(event: WorkerEvent, message: string): void;
  error(event: WorkerEvent, message: string): void;
}

/**
 * Writes every event of a worker to a logger, with a short message, until the returned function is called.
 *
 * - `error`: an indeterminate handover, `remove-failed`, `journal-failed`: somebody has to look
 * - `warn`: an aborted handover, `fencing`, `gone`, `violation`, `rejected`
 * - `info`: `listening`, a completed or refused handover, `phase`, `resuming`
 * - `debug`: `connected`, `disconnected`, `ignored`
 *
 * @example
 * ```ts
 * import { logEvents, startMigrationWorker } from "@changeover/migration-worker";
 * import { pino } from "pino";
 *
 * const worker = await startMigrationWorker();
 * const stop = logEvents(worker, pino());
 * ```
 */
export function logEvents(worker: Pick<MigrationWorker, "subscribe">, logger: EventLogger): () => void {
  return worker.subscribe((event) => {
    const [level, message] = describe(event);
    logger[level](event, message);
  });
}

function describe(event: WorkerEvent): [level: keyof EventLogger, message: string] {
  switch (event.type) {
    case "connected":
      return ["debug", `job ${event.jobId}: the ${event.side} has connected, with protocol ${event.version}`];
    case "disconnected":
      return ["debug", `job ${event.jobId}: the ${event.side} has disconnected: ${event.code} ${event.reason}`.trim()];
    case "gone":
      return ["warn", `job ${event.jobId}: the ${event.side} is gone: ${event.reason}`];
    case "phase":
      return ["info", `job ${event.jobId}: the handover is in ${event.phase}`];
    case "fencing":
      return ["warn", `job ${event.jobId}: the target is being removed before the source resumes: ${event.reason}`];
    case "resuming":
      return ["info", `job ${event.jobId}: the source resumes: ${event.reason}`];
    case "ended":
      return describeEnd(event.end);
    case "ignored":
      return ["debug", `job ${event.jobId}: ${event.what} was ignored: ${event.reason}`];
    case "remove-failed":
      return ["error", `job ${event.jobId}: the ${event.side} could not be removed: ${event.reason}`];
    case "journal-failed":
      return ["error", `job ${event.jobId}: a restart would forget what has changed: ${event.reason}`];
    case "violation":
      return ["warn", `job ${event.jobId}: the ${event.side} broke the protocol: ${event.reason}`];
    case "listening": {
      const memory =
        event.journalDirectory === undefined
          ? "no journalDirectory: jobs and handovers are forgotten when this process ends"
          : `${event.jobs} jobs from the journal in ${event.journalDirectory}`;
      return ["info", `listening on ${event.url}; ${memory}`];
    }
    case "rejected":
      return ["warn", `a connection from ${event.address} was rejected: ${event.code} ${event.reason}`];
  }
}

function describeEnd(end: HandoverEnd): [level: keyof EventLogger, message: string] {
  switch (end.outcome) {
    case "completed": {
      const lost = end.sourceLost === undefined ? "" : `; the source was lost: ${end.sourceLost}`;
      const gap = end.outputGapMs === undefined ? "" : `, after ${end.outputGapMs.toFixed(1)} ms without output`;
      return ["info", `job ${end.jobId}: the handover is completed${gap}${lost}`];
    }
    case "willing":
      return ["info", `job ${end.jobId}: a dry run: it would hand over a state of ${end.stateBytes} bytes`];
    case "refused":
      return ["info", `job ${end.jobId}: the handover was refused: ${end.reason}`];
    case "aborted": {
      const active = end.active === "none" ? "the job is dead" : `the ${end.active} is active`;
      return ["warn", `job ${end.jobId}: the handover was aborted in ${end.phase}, ${active}: ${end.reason}`];
    }
    case "indeterminate":
      return ["error", `job ${end.jobId}: nobody knows whether the target is active, remove it: ${end.reason}`];
  }
}
