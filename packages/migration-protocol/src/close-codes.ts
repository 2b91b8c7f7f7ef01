/**
 * WebSocket close codes that a worker sends. The range 4000 to 4999 is left to applications by RFC 6455; 1009 and 1012
 * are registered codes. They are part of the wire: a number never changes its meaning.
 */
export const CLOSE_CODE = {
  /** A frame is larger than the worker takes. The same frame will be refused again. */
  frameTooLarge: 1009,
  /** The worker restarts: connect again, with jitter. */
  workerRestarting: 1012,
  /** The job sent something that the protocol does not allow; the close reason says what. */
  protocolViolation: 4400,
  /** No instance has this token: it was never issued, or the instance has been replaced. */
  unknownToken: 4401,
  /** No `hello` arrived in time. */
  helloTimeout: 4408,
  /** A newer connection of the same instance took over. Do not reconnect from this one. */
  superseded: 4409,
  /** Too many connections or frames: back off. */
  tooMany: 4429,
} as const;

/** One of the numbers in {@link CLOSE_CODE}. */
export type CloseCode = (typeof CLOSE_CODE)[keyof typeof CLOSE_CODE];
