import { messageOf, MigrationWorkerError } from "./errors.js";

/**
 * What started an instance, can remove it, and knows when it is gone: a container, a child process.
 *
 * The containers of `@changeover/product-runtime` are placements as they are.
 */
export interface Placement {
  /** Resolves when the instance is known to be gone, with how it ended (`exited with code 1`). Never rejects. */
  readonly gone: Promise<{ reason: string }>;
  /** Stops and removes the instance. Removing one that is gone does nothing. */
  remove(): Promise<void>;
}

/** What a target needs in order to be started. */
export interface PlaceTargetRequest {
  jobId: string;
  migrationId: string;
  /** The environment of the job socket: give it to the instance. It holds a secret. */
  env: Record<string, string>;
  /** Aborted when the handover ends before the target has been placed. */
  signal: AbortSignal;
}

/** Starts a fresh instance of a job and resolves once it has started; rejects if it cannot be. */
export type PlaceTarget = (request: PlaceTargetRequest) => Promise<Placement>;

/** @throws MigrationWorkerError `invalid-option` where what the caller gave is no placement. */
export function checkPlacement(value: unknown, from: string): Placement {
  if (isPlacement(value)) return value;
  const message = `${from} gave no placement: it must be an object with a promise "gone" and a function "remove"`;
  throw new MigrationWorkerError("invalid-option", message);
}

/** How an instance has ended, whatever a placement without types says of it. */
export function goneReason(end: unknown): string {
  return messageOf(typeof end === "object" && end !== null && "reason" in end ? end.reason : end);
}

function isPlacement(value: unknown): value is Placement {
  return (
    typeof value === "object" &&
    value !== null &&
    "gone" in value &&
    isThenable(value.gone) &&
    "remove" in value &&
    typeof value.remove === "function"
  );
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
