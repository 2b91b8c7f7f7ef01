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

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
