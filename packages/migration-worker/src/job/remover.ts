import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { Placement } from "../placement.js";

/** How long to wait before an instance is removed once more; twice as long after each further failure. */
const retryMs = { first: 1_000, longest: 60_000 };

/** Removes instances, again and again until that succeeds or they are gone by themselves. */
export class Remover {
  readonly #clock: Clock;
  readonly #retries = new Set<() => void>();
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async remove(placement: Placement, onFailure: (reason: string) => void): Promise<void> {
    const watch = { isGone: false };
    // A placement that cannot tell says nothing of its instance.
    placement.gone.then(
      () => (watch.isGone = true),
      () => {},
    );
    for (let waitMs = retryMs.first; !watch.isGone; waitMs = Math.min(2 * waitMs, retryMs.longest)) {
      try {
        await placement.remove();
        return;
      } catch (error) {
        onFailure(messageOf(error));
      }
      // Once is tried for a target too that comes when its worker has ended.
      if (this.#isStopped) return;
      await this.#wait(waitMs);
    }
  }

  /** Gives up whatever has not succeeded yet. */
  stop(): void {
    this.#isStopped = true;
    for (const stopRetry of this.#retries) stopRetry();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) return;
      const stopRetry = this.#clock.setTimer(() => {
        this.#retries.delete(stopRetry);
        resolve();
      }, ms);
      this.#retries.add(stopRetry);
    });
  }
}
