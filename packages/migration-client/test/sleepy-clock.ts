import { ManualClock } from "@changeover/testing";

/** A manual clock whose machine can sleep: time goes on then, and the timers are late. */
export class SleepyClock {
  readonly #awake = new ManualClock();
  #asleepMs = 0;

  readonly now = (): number => this.#awake.now() + this.#asleepMs;
  readonly setTimer = this.#awake.setTimer;

  get pending(): number {
    return this.#awake.pending;
  }

  get delays(): number[] {
    return this.#awake.delays;
  }

  advance(ms: number): Promise<void> {
    return this.#awake.advance(ms);
  }

  sleep(ms: number): void {
    this.#asleepMs += ms;
  }
}
