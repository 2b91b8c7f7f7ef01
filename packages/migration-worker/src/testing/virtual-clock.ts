import type { Clock } from "../clock.js";
import { EventLoop } from "./event-loop.js";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** How far time may go without a pause in which real I/O that cannot be seen would come to its end. */
const unwatchedMs = 1_000;

/**
 * A clock that needs no time. While {@link runUntil} waits for something, the clock jumps to the next timer whenever
 * nothing is left to do: promise callbacks and immediates have run, and no real I/O is pending, so that a job that reads
 * a file meets no deadline meanwhile. It waits for I/O for half a second at most, and so for real timers: a job that waits
 * for time to pass takes this clock.
 *
 * Otherwise it stands still.
 *
 * @example
 * ```ts
 * import { VirtualClock } from "@changeover/migration-worker/testing";
 *
 * const clock = new VirtualClock();
 * await clock.runUntil(clock.sleep(3_600_000));
 * console.log(clock.now()); // 3600000, and no time has passed
 * ```
 */
export class VirtualClock implements Clock {
  readonly #eventLoop = new EventLoop();
  readonly #isRealIoAwaited: boolean;
  #timers: Timer[] = [];
  #now = 0;
  #quietAt = 0;

  /** @param options.awaitRealIo - `false` where nothing does real I/O: then a jump costs nothing. Default: `true`. */
  constructor({ awaitRealIo = true }: { awaitRealIo?: boolean } = {}) {
    this.#isRealIoAwaited = awaitRealIo;
  }

  /** Milliseconds since this clock was made. */
  readonly now = (): number => this.#now;

  /** Calls `run` once after `delayMs`, rounded up to whole milliseconds; the returned function prevents it. */
  readonly setTimer = (run: () => void, delayMs: number): (() => void) => {
    const timer = { at: this.#now + Math.max(0, Math.ceil(delayMs)), run };
    // Of timers for the same moment the older one fires first.
    const index = this.#timers.findLastIndex(({ at }) => at <= timer.at) + 1;
    this.#timers.splice(index, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Resolves after `delayMs` of this clock. */
  readonly sleep = (delayMs: number): Promise<void> => new Promise((resolve) => this.setTimer(resolve, delayMs));

  /** Lets time pass until `promise` is settled, and returns what it is settled with. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    const watch = { isSettled: false };
    const settled = (): void => {
      watch.isSettled = true;
    };
    promise.then(settled, settled);
    for (;;) {
      await this.#eventLoop.drained();
      if (watch.isSettled) return promise;
      await this.#step(watch);
    }
  }

  async #step(watch: { readonly isSettled: boolean }): Promise<void> {
    const next = this.#timers[0];
    if (!next || this.#mustBeQuietUntil(next.at)) {
      await this.#eventLoop.quiet();
      this.#quietAt = this.#now;
      // What went on meanwhile may have set, stopped or settled anything.
      if (watch.isSettled || this.#timers[0] !== next) return;
    }
    const timer = this.#timers.shift();
    if (!timer) return;
    this.#now = timer.at;
    timer.run();
  }

  #mustBeQuietUntil(at: number): boolean {
    return this.#isRealIoAwaited && (at - this.#quietAt > unwatchedMs || this.#eventLoop.isBusy);
  }
}
