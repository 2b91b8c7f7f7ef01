import { systemClock, type Clock } from "./clock.js";
import { ProductRuntimeError, type ProductRuntimeErrorCode } from "./product-runtime-error.js";

/** What bounds a piece of work. */
export interface Deadline {
  /** The work as the subject of a sentence, such as `pulling the image "alpine"`. */
  readonly what: string;
  readonly timeoutMs: number;
  /** Code of the error when the time is over. Default `engine-timeout`. */
  readonly code?: ProductRuntimeErrorCode;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Runs work until it settles, its time is over or the caller aborts, whichever is first. The work is given a signal
 * for the last two, and is no longer waited for when it ignores that.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { what, timeoutMs, code = "engine-timeout", signal: outer, clock = systemClock } = deadline;
  throwIfAborted(outer, what);
  const controller = new AbortController();
  const { signal } = controller;
  const cancelTimer = clock.setTimer(() => {
    controller.abort(new ProductRuntimeError(code, `${what} took longer than ${timeoutMs} ms`));
  }, timeoutMs);
  const forward = (): void => controller.abort(abortedError(outer?.reason, what));
  outer?.addEventListener("abort", forward);
  try {
    return await untilAborted(work(signal), signal);
  } finally {
    cancelTimer();
    outer?.removeEventListener("abort", forward);
  }
}

/** Throws an error with code `aborted` when the signal has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw abortedError(signal.reason, what);
}

function abortedError(cause: unknown, what: string): ProductRuntimeError {
  return new ProductRuntimeError("aborted", `${what} was aborted`, { cause });
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    // The work's own error often is only the echo of the abort, so the signal's reason comes first.
    work
      .then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error))
      .finally(() => {
        signal.removeEventListener("abort", onAbort);
      });
  });
}
