const brand = Symbol.for("changeover.MigrationWorkerError");

/**
 * - `invalid-option`: an option has a value that cannot be; the message names both
 * - `listen-failed`: the job socket could not be opened
 * - `journal-unusable`: the journal cannot be read or written; the message names the file
 * - `job-exists`: a job of this id is registered
 * - `unknown-job`: no job of this id is registered
 * - `closed`: the worker is closing or closed
 */
export type MigrationWorkerErrorCode =
  "invalid-option" | "listen-failed" | "journal-unusable" | "job-exists" | "unknown-job" | "closed";

/** What the worker throws when it is used wrongly or cannot start. How a handover ended is a value, not an error. */
export class MigrationWorkerError extends Error {
  override readonly name = "MigrationWorkerError";
  readonly [brand] = true;
  readonly code: MigrationWorkerErrorCode;

  constructor(code: MigrationWorkerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Recognises errors of every copy of this package in the process. */
  static isInstance(value: unknown): value is MigrationWorkerError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

// A reason is a sentence for a person: it goes into events, logs, the journal and to the other instance.
const MAX_REASON_LENGTH = 1_000;

/** A reason that somebody else has given, no longer than anybody reads. */
export function boundedReason(reason: string): string {
  return reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
}

/** The message of whatever was thrown or given as a reason: one readable text, and never an error itself. */
export function messageOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : typeof error === "object" ? JSON.stringify(error) : error;
    return boundedReason(String(text ?? "no reason was given"));
  } catch {
    return "a value that cannot be shown";
  }
}
