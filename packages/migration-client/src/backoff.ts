import { CLOSE_CODE } from "@changeover/migration-protocol";

/** What to do after a connection has ended. */
export type Pace = "backoff" | "slowest" | "stop";

export interface Backoff {
  /** How many connections in a row have not been stable. */
  readonly attempt: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** From 0 to, not including, 1. */
  readonly random: number;
}

/** How to go on after a close code, or after an end without one. */
export function paceAfter(code: number | undefined): Pace {
  switch (code) {
    case CLOSE_CODE.superseded:
      return "stop";
    // The same hello will meet the same answer until somebody changes something, so there is no hurry.
    case CLOSE_CODE.protocolViolation:
    case CLOSE_CODE.unknownToken:
    case CLOSE_CODE.tooMany:
      return "slowest";
    default:
      return "backoff";
  }
}

/**
 * Delay before the next connection, in milliseconds. Exponential with full jitter: after a restart of the worker all
 * its jobs come back spread over the whole interval, not in step.
 */
export function backoffMs(pace: "backoff" | "slowest", { attempt, minMs, maxMs, random }: Backoff): number {
  if (pace === "slowest") return maxMs / 2 + random * (maxMs / 2);
  return random * Math.min(maxMs, minMs * 2 ** attempt);
}
