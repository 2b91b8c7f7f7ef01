/** Time as the code here sees it, so that tests can move it. */
export interface Clock {
  /** Milliseconds since some fixed point. Never goes back. */
  now(): number;
  /** Runs something once after a delay; the function that it returns calls that off. */
  setTimer(run: () => void, delayMs: number): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, at once when the signal has aborted. */
export function pause(delayMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.setTimer(finish, delayMs);
    signal?.addEventListener("abort", finish);
  });
}
