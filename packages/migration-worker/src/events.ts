import type { HandoverEnd, Phase } from "./handover/end.js";
import type { Side } from "./handover/handover.js";

/** What a worker tells its listeners. No event holds a token or a payload. */
export type WorkerEvent = WorkerEventBody & {
  /** When it happened: milliseconds since the Unix epoch. */
  atMs: number;
};

export type WorkerEventBody =
  | (JobEvent & { jobId: string })
  /** The worker listens, and knows `jobs` jobs from its journal. Without `journalDirectory` it forgets all at its end. */
  | { type: "listening"; url: string; jobs: number; journalDirectory?: string }
  /**
   * A connection was closed before it was known whose it is: a wrong token, no hello, nonsense, too many. `code` is the
   * close code, or 403 for a page that is not allowed.
   */
  | { type: "rejected"; code: number; reason: string; address: string };

/** What happens to a job. */
export type JobEvent =
  | { type: "connected"; side: Side; /** Version of the protocol that the instance speaks. */ version: 1 | 2 }
  | { type: "disconnected"; side: Side; code: number; reason: string }
  /** An instance has died that nobody removed: with the active one the job is dead. */
  | { type: "gone"; side: Side; reason: string }
  /** A handover has entered a phase. */
  | { type: "phase"; migrationId: string; phase: Phase; /** How long it may take. */ deadlineMs: number }
  /** A target that may have taken over is being removed before the source may resume. */
  | { type: "fencing"; migrationId: string; phase: Phase; reason: string }
  /** The source was told to carry on. It is repeated if the source reconnects. */
  | { type: "resuming"; migrationId: string; reason: string }
  | { type: "ended"; migrationId: string; end: HandoverEnd }
  /** A report or a cancellation that came too late, twice, or to no handover. */
  | { type: "ignored"; what: string; reason: string }
  /** An instance that is no longer needed could not be removed: somebody has to look. */
  | { type: "remove-failed"; migrationId: string; side: Side; reason: string }
  /** Something could not be written down: after a restart the worker would not know it. */
  | { type: "journal-failed"; reason: string }
  /** A job sent what the protocol does not allow; its connection is closed. */
  | { type: "violation"; side: Side; reason: string };

export type WorkerEventListener = (event: WorkerEvent) => void;
