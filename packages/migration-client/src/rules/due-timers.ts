import type { ClientInput, ClientState } from "./client-state.js";
import { stoppedMigration } from "./session.js";
import { awaitedTasks } from "./task-queue.js";

/** How long a handler whose signal has fired may keep the next one waiting, in milliseconds. */
export const PREEMPTION_GRACE_MS = 1_000;

/** How long a client that is closed waits for the acknowledgement of its last reports, in milliseconds. */
const FLUSH_MS = 1_000;

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
  const timers: DueTimer[] = [];
  const add = (key: string, ms: number, input: ClientInput, isSilence = false): void => {
    timers.push({ key, ms, isSilence, input });
  };
  if (isClosed) {
    if (link.isConnected) add("flush", FLUSH_MS, { type: "flush-over" });
    return timers;
  }
  for (const { key: task, answerWithinMs } of awaitedTasks(queue)) {
    add(`answer ${task}`, answerWithinMs ?? 0, { type: "timed-out", task });
  }
  const { running: task, isMakingWay } = queue;
  if (task !== null && isMakingWay) add(`grace ${task}`, PREEMPTION_GRACE_MS, { type: "grace-over", task });
  const stopped = stoppedMigration(session);
  // Where there are pings it is they that tell a silent worker from one that has nothing to say.
  const isWatched = link.isConnected && link.version === 2;
  if (times.resumeAfterMs !== null && stopped && !isWatched) {
    add(`resume ${stopped.id}`, times.resumeAfterMs, { type: "resume-due" }, true);
  }
  return timers;
}
