/** What to do about the silence of the other side, and when to look again. */
export type LivenessStep = { readonly act: "wait" | "ping"; readonly ms: number } | { readonly act: "give-up" };

export interface Liveness {
  /** Anything that arrives is a sign of life. */
  heard(now: number): void;
  look(now: number): LivenessStep;
}

/**
 * Notices within two intervals that the other side is silent: after one it is asked for a sign of life, after two it is
 * given up. It is told what time it is; looking again after `ms` is up to the caller.
 */
export function newLiveness(intervalMs: number, startedAt: number): Liveness {
  let heardAt = startedAt;
  let dueAt = startedAt + intervalMs;
  let looksInSilence = 0;

  function again(act: "wait" | "ping", ms: number, now: number): LivenessStep {
    dueAt = now + ms;
    return { act, ms };
  }

  return {
    heard(now) {
      heardAt = now;
      looksInSilence = 0;
    },
    look(now) {
      const lateMs = now - dueAt;
      const restMs = heardAt + intervalMs - now;
      if (looksInSilence === 0 && restMs > 0) return again("wait", restMs, now);
      looksInSilence += 1;
      if (looksInSilence === 1) return again("ping", intervalMs, now);
      if (looksInSilence > 2) return { act: "give-up" };
      // A process that was busy or asleep sees its timers before the frames that came meanwhile: these are to be read
      // first, and after a long sleep the network has to come back too.
      return again("wait", Math.min(Math.max(lateMs, 0), intervalMs), now);
    },
  };
}
