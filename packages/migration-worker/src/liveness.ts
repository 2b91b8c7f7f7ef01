import type { Clock } from "./clock.js";

export interface LivenessOptions {
  clock: Clock;
  /** From 0 to, not including, 1. */
  random: () => number;
  /** Silence after which to ask for a sign of life; after twice as long the peer is dead. */
  intervalMs: number;
  ping(): void;
  onDead(silentMs: number): void;
}

/**
 * Notices a peer that is gone although its socket says that it is open. The question comes a random while early: of
 * thousands of connections that were made in the same moment, no two hundred may come due in the same one.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  #heardAt: number;
  #stopTimer: () => void = () => {};

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
    this.#waitToAsk();
  }

  /** Anything that the peer sends is a sign of life. */
  heard(): void {
    this.#heardAt = this.#options.clock.now();
  }

  stop(): void {
    this.#stopTimer();
  }

  #waitToAsk(): void {
    const { intervalMs, random } = this.#options;
    const early = random() * (intervalMs / 4);
    this.#at(this.#heardAt + intervalMs - early, () => {
      if (this.#silentMs < intervalMs - early) return this.#waitToAsk();
      this.#options.ping();
      return this.#waitForAnswer(this.#heardAt);
    });
  }

  #waitForAnswer(heardAt: number): void {
    this.#at(heardAt + 2 * this.#options.intervalMs, () => {
      if (this.#heardAt > heardAt) return this.#waitToAsk();
      // After a sleep of the machine this timer comes before what has arrived meanwhile: read that first.
      return this.#at(0, () => {
        if (this.#heardAt > heardAt) return this.#waitToAsk();
        return this.#options.onDead(this.#silentMs);
      });
    });
  }

  get #silentMs(): number {
    return this.#options.clock.now() - this.#heardAt;
  }

  #at(timeMs: number, run: () => void): void {
    const { clock } = this.#options;
    this.#stopTimer = clock.setTimer(run, Math.max(0, timeMs - clock.now()));
  }
}
