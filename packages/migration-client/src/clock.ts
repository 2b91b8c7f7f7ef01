/** Time as the client sees it: passed in, so that tests move it by hand. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Calls `run` once after `delayMs` and returns the function that prevents it. */
  setTimer(run: () => void, delayMs: number): () => void;
}

/** The longest delay that setTimeout knows: a longer one fires at once. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The clock of the process. Its timers keep the process alive unless told otherwise: a job that waits for its worker to
 * come back must not end because nothing else happens to be going on.
 */
export function systemClock(unref: boolean): Clock {
  return {
    now: () => performance.now(),
    setTimer: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      if (unref) unrefTimer(timer);
      return () => clearTimeout(timer);
    },
  };
}

function unrefTimer(timer: NodeJS.Timeout | number): void {
  if (typeof timer === "object") timer.unref();
  // Older versions of Deno have a number, as browsers do, which have nothing of the kind.
  else if ("Deno" in globalThis) Reflect.get(globalThis, "Deno").unrefTimer(timer);
}
