interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. Timers fire in the order in which they are due. */
export class ManualClock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  /** Starts a timer and returns the function that stops it. */
  readonly setTimer = (run: () => void, delayMs: number): (() => void) => {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** How many timers are running: none may be left when everything is closed. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Delays of the running timers from now, shortest first. */
  get delays(): number[] {
    return [...this.#timers].map((timer) => timer.at - this.#now).toSorted((a, b) => a - b);
  }

  /** Moves the clock, firing what is due and letting promises settle after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** A turn of the event loop: promise callbacks and immediates that are queued have run afterwards. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
