import type { CommandFrame } from "./session.js";

/** One call of a handler. */
export interface Task {
  /** Counts the tasks of this client, from 1. */
  readonly key: number;
  /** What the handler is called for. */
  readonly frame: CommandFrame;
  /** How long the worker's wait for what the handler is to do may last; null where it does not wait, or not any more. */
  readonly answerWithinMs: number | null;
  /** Whether the signal of the handler has fired. */
  readonly hasFired: boolean;
}

/**
 * The handlers that run and wait, one at a time and in order. A handler that is to make way is told by its signal and
 * given a moment; one that does not settle even then is left to itself, because a source that is to resume must not
 * wait for it.
 */
export interface QueueState {
  readonly lastKey: number;
  readonly waiting: readonly Task[];
  /** All handlers that have not settled: the one that runs, and those that were left to themselves. */
  readonly started: readonly Task[];
  /** The key of the task that keeps others waiting. */
  readonly running: number | null;
  /** Whether the running one is to be left to itself when the grace is over. */
  readonly isMakingWay: boolean;
}

export const EMPTY_QUEUE: QueueState = {
  lastKey: 0,
  waiting: [],
  started: [],
  running: null,
  isMakingWay: false,
};

/** Adds a task, as the last one. */
export function addTask(queue: QueueState, frame: CommandFrame, answerWithinMs: number | null = null): QueueState {
  const key = queue.lastKey + 1;
  return { ...queue, lastKey: key, waiting: [...queue.waiting, { key, frame, answerWithinMs, hasFired: false }] };
}

/** Puts a task before all that wait, to run after the running one or at the latest after the grace. */
export function addTaskFirst(queue: QueueState, frame: CommandFrame): QueueState {
  const next = addTask({ ...queue, waiting: [] }, frame);
  return { ...next, waiting: [...next.waiting, ...queue.waiting], isMakingWay: queue.running !== null };
}

/** Removes tasks that wait, and marks those that have started, whose signals are to fire, where they match. */
export function preempt(queue: QueueState, matches: (task: Task) => boolean): QueueState {
  return {
    ...queue,
    waiting: queue.waiting.filter((task) => !matches(task)),
    started: queue.started.map((task) => (matches(task) ? { ...task, hasFired: true, answerWithinMs: null } : task)),
    isMakingWay: queue.isMakingWay || queue.started.some((task) => task.key === queue.running && matches(task)),
  };
}

/** Starts the next task, if there is one and none keeps it waiting. */
export function startNext(queue: QueueState): QueueState {
  const [task, ...waiting] = queue.waiting;
  if (queue.running !== null || !task) return queue;
  return { ...queue, waiting, started: [...queue.started, task], running: task.key };
}

/** A handler has settled. */
export function settleTask(queue: QueueState, key: number): QueueState {
  return release({ ...queue, started: queue.started.filter((task) => task.key !== key) }, key);
}

/** A task keeps the others waiting no longer, whether its handler has settled or not. */
export function release(queue: QueueState, key: number): QueueState {
  return key === queue.running ? { ...queue, running: null, isMakingWay: false } : queue;
}

/** A task whose handler has not settled. */
export function startedTask({ started }: QueueState, key: number | null): Task | undefined {
  return started.find((task) => task.key === key);
}

/** The tasks that the worker waits for, oldest first. */
export function awaitedTasks({ started, waiting }: QueueState): readonly Task[] {
  return [...started, ...waiting].filter(({ answerWithinMs }) => answerWithinMs !== null);
}

/** What was done, or is not wanted any more, has no deadline any more. */
export function liftDeadlines(queue: QueueState, matches: (task: Task) => boolean): QueueState {
  const lift = (task: Task): Task => (matches(task) ? { ...task, answerWithinMs: null } : task);
  return { ...queue, waiting: queue.waiting.map(lift), started: queue.started.map(lift) };
}

/** Whether a task is a `get-state` that waits for its answer. */
export function isOpenQuestion({ frame, answerWithinMs }: Task): boolean {
  return frame.type === "get-state" && answerWithinMs !== null;
}

/** The `get-state` that wait for their answer, oldest first. */
export function openQuestions(queue: QueueState): readonly Task[] {
  return awaitedTasks(queue).filter(isOpenQuestion);
}

/** The question whose handler is running. */
export function askedQuestion({ started }: QueueState): Task | undefined {
  return started.find(isOpenQuestion);
}

/** A question that waits for its answer. */
export function openQuestion(queue: QueueState, key: number): Task | undefined {
  return openQuestions(queue).find((task) => task.key === key);
}

/** Questions have their answer, or nobody waits for one any more: a handler that was not asked yet never is. */
export function closeQuestions(queue: QueueState, matches: (task: Task) => boolean): QueueState {
  const isOne = (task: Task): boolean => isOpenQuestion(task) && matches(task);
  return liftDeadlines({ ...queue, waiting: queue.waiting.filter((task) => !isOne(task)) }, isOne);
}
