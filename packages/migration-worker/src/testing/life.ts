import type { Clock } from "../clock.js";

/**
 * The life of a process in memory. Code cannot be killed from outside, so what keeps it going is taken away: once the
 * life has ended its timers do not fire, its sockets are dead, and what it waits for does not happen.
 */
export class Life {
  /** The time of this process: it ends with it. */
  readonly clock: Clock;
  readonly #stops = new Set<() => void>();
  #isOver = false;

  constructor(clock: Clock) {
    this.clock = {
      now: () => clock.now(),
      setTimer: (run, delayMs) => {
        if (this.#isOver) return () => {};
        return clock.setTimer(() => {
          if (!this.#isOver) run();
        }, delayMs);
      },
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What happens in the world when this process is gone. The returned function takes it back. */
  atEnd(run: () => void): () => void {
    this.#stops.add(run);
    return () => this.#stops.delete(run);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#stops) stop();
  }

  /** The same promise, as this process sees it: after its end nothing comes of it. */
  seen<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      const settle = (): void => {
        if (!this.#isOver) resolve(promise);
      };
      promise.then(settle, settle);
    });
  }
}
