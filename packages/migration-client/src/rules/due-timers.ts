import type { ClientInput, ClientState } from "./client-state.js";
import { stoppedMigration } from "./session.js";
import { openQuestions } from "./task-queue.js";

/** How long a handler whose signal has fired may keep the next one waiting, in milliseconds. */
export const PREEMPTION_GRACE_MS = 1_000;

/** A timer that is to run for as long as it is among those of the state. */
export interface DueTimer {
  /** The same for as long as it is the same timer. */
  readonly key: string;
  readonly ms: number;
  /** Whether the time counts from the last sign of life of the worker. */
  readonly isSilence: boolean;
  /** What happens when the time is over. */
  readonly input: ClientInput;
}

/** The timers of a state: those that are not among them any more are stopped. */
export function dueTimers({ isClosed, times, link, session, queue }: ClientState): readonly DueTimer[] {
  if (isClosed) return [];
  const timers: DueTimer[] = openQuestions(queue).map(({ key: task, answerWithinMs: ms = 0 }) => ({
    key: `answer ${task}`,
    ms,
    isSilence: false,
    input: { type: "timed-out", task },
  }));
  const { running: task, isMakingWay } = queue;
  if (task !== undefined && isMakingWay) {
    timers.push({
      key: `grace ${task}`,
      ms: PREEMPTION_GRACE_MS,
      isSilence: false,
      input: { type: "grace-over", task },
    });
  }
  const stopped = stoppedMigration(session);
  // Where there are pings it is they that tell a silent worker from one that has nothing to say.
  const isWatched = link.isConnected && link.version === 2;
  if (times.resumeAfterMs !== undefined && stopped && !isWatched) {
    timers.push({
      key: `resume ${stopped.id}`,
      ms: times.resumeAfterMs,
      isSilence: true,
      input: { type: "resume-due" },
    });
  }
  return timers;
}
