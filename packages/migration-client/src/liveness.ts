/** What to do about the silence of the other side, and when to look again. */
export type LivenessStep = { readonly act: "wait" | "ping"; readonly ms: number } | { readonly act: "give-up" };

/**
 * Notices within two intervals that the other side is silent: after one it is asked for a sign of life, after two it is
 * given up. It is told what time it is; looking again after `ms` is up to the caller.
 */
export class Liveness {
  readonly #intervalMs: number;
  #heardAt: number;
  #dueAt: number;
  #silence: "none" | "asked" | "last look" = "none";

  constructor(intervalMs: number, now: number) {
    this.#intervalMs = intervalMs;
    this.#heardAt = now;
    this.#dueAt = now + intervalMs;
  }

  /** Anything that arrives is a sign of life. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#silence = "none";
  }

  look(now: number): LivenessStep {
    const lateMs = now - this.#dueAt;
    const silentMs = now - this.#heardAt;
    if (this.#silence === "none") {
      if (silentMs < this.#intervalMs) return this.#again("wait", this.#intervalMs - silentMs, now);
      this.#silence = "asked";
      return this.#again("ping", this.#intervalMs, now);
    }
    if (this.#silence === "last look") return { act: "give-up" };
    // A process that was busy or asleep sees its timers before the frames that came meanwhile: these are to be read
    // first, and after a long sleep the network has to come back too.
    this.#silence = "last look";
    return this.#again("wait", Math.min(Math.max(lateMs, 0), this.#intervalMs), now);
  }

  #again(act: "wait" | "ping", ms: number, now: number): LivenessStep {
    this.#dueAt = now + ms;
    return { act, ms };
  }
}
