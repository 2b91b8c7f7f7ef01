/** Limits that both ends of a job socket know. Sizes are bytes of UTF-8, times are milliseconds. */
export const LIMITS = {
  /** Largest frame that a worker takes unless it was configured otherwise: 8 MiB. */
  maxFrameBytes: 8 * 1024 * 1024,
  /** How much a worker reads from a connection before its `hello` is complete. */
  maxHelloBytes: 4 * 1024,
  /** How long a worker waits for `hello` on a new connection. */
  helloTimeoutMs: 10_000,
  /** How long either side of version 2 may hear nothing before it asks for a sign of life. */
  pingIntervalMs: 10_000,
  /** Longest close reason that RFC 6455 allows (125 bytes of a control frame, less 2 for the code). */
  maxCloseReasonBytes: 123,
} as const;

/**
 * Default deadline of each phase of a handover, in milliseconds. `fencing` bounds the wait until a target that may have
 * taken over is known to be gone.
 */
export const DEFAULT_DEADLINES_MS = {
  propose: 10_000,
  place: 120_000,
  ready: 60_000,
  stop: 10_000,
  apply: 10_000,
  fencing: 15_000,
} as const;
