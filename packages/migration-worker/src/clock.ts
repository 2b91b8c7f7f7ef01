/** Time as the worker sees it; tests pass one of their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, monotonic within a process, with fractions. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function stops it. */
  setTimer(run: () => void, delayMs: number): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
