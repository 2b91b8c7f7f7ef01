import type { Clock } from "./clock.js";

/** One call of a handler. */
export interface Task {
  /** Name of the handler, for logs. */
  readonly handler: string;
  readonly migrationId: string;
  /** Takes care of its own outcome: the promise never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** How long a handler whose signal has fired may keep the next one waiting, in milliseconds. */
export const PREEMPTION_GRACE_MS = 1_000;

interface Running {
  readonly task: Task;
  readonly controller: AbortController;
  stopGrace: (() => void) | undefined;
}

/**
 * Runs tasks one at a time and in order. A handler that is to make way is told by its signal and given a moment; one
 * that does not settle even then is left to itself, because a source that is to resume must not wait for it.
 */
export class TaskQueue {
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #unsettled = new Set<AbortController>();
  #waiting: Task[] = [];
  #running: Running | undefined;

  constructor(clock: Clock, log: (line: string) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The handler that keeps others waiting. */
  get busyWith(): string | undefined {
    return this.#running?.task.handler;
  }

  add(task: Task): void {
    this.#waiting.push(task);
    this.#next();
  }

  /** Runs a task before all that wait, after the running one or at the latest after the grace. */
  addFirst(task: Task): void {
    this.#waiting.unshift(task);
    if (this.#running) this.#startGrace(this.#running);
    else this.#next();
  }

  /** Removes tasks that wait and fires the signal of the running one, where they match. */
  preempt(matches: (task: Task) => boolean, reason: Error): void {
    this.#waiting = this.#waiting.filter((task) => !matches(task));
    const running = this.#running;
    if (!running || !matches(running.task)) return;
    this.#startGrace(running);
    running.controller.abort(reason);
  }

  /** Removes all tasks and fires all signals; runs nothing from now on until something is added. */
  stop(reason: Error): void {
    this.#waiting = [];
    this.#running?.stopGrace?.();
    this.#running = undefined;
    for (const controller of this.#unsettled) controller.abort(reason);
  }

  #next(): void {
    const task = this.#running ? undefined : this.#waiting.shift();
    if (!task) return;
    const running: Running = { task, controller: new AbortController(), stopGrace: undefined };
    this.#running = running;
    this.#unsettled.add(running.controller);
    void task.run(running.controller.signal).finally(() => {
      this.#unsettled.delete(running.controller);
      this.#release(running);
    });
  }

  #startGrace(running: Running): void {
    running.stopGrace ??= this.#clock.setTimer(() => {
      const { handler, migrationId } = running.task;
      this.#log(`${handler} of ${migrationId} has not settled within ${PREEMPTION_GRACE_MS} ms: going on without it`);
      this.#release(running);
    }, PREEMPTION_GRACE_MS);
  }

  #release(running: Running): void {
    running.stopGrace?.();
    if (running !== this.#running) return;
    this.#running = undefined;
    this.#next();
  }
}
