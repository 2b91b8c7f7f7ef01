import type { Clock } from "./clock.js";
import { cutoverTask } from "./cutover-task.js";
import { describeError } from "./describe-error.js";
import { GetStateTask } from "./get-state-task.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import type { Reports } from "./reports.js";
import type { CommandFrame, Session, Verdict } from "./session.js";
import { TaskQueue, type Task } from "./task-queue.js";

export interface CommandsDeps {
  readonly handlers: MigrationHandlers;
  readonly session: Session;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly getStateTimeoutMs: number;
  /** Writes a frame to the acknowledged connection; false if there is none. */
  readonly send: (text: string) => boolean;
  readonly log: (line: string) => void;
  /** Takes the token out of a text that a handler threw. */
  readonly redact: (text: string) => string;
}

/** Carries the worker's commands out by the job's handlers. */
export class Commands {
  readonly #deps: CommandsDeps;
  readonly #queue: TaskQueue;
  /** The unanswered questions, each with the function that stops its timer. */
  readonly #questions = new Map<GetStateTask, () => void>();

  constructor(deps: CommandsDeps) {
    this.#deps = deps;
    this.#queue = new TaskQueue(deps.clock, deps.log);
  }

  receive(frame: CommandFrame): void {
    const verdict = this.#deps.session.receive(frame);
    if (frame.type === "get-state") this.#ask(frame.migrationId, verdict);
    else if (!verdict.ok) this.#deps.log(`${frame.type} of ${frame.migrationId} ignored: ${verdict.why}`);
    else if (frame.type === "abort") this.#abort(frame.migrationId, frame.reason);
    else this.#queue.add(cutoverTask(frame, verdict.migration, this.#deps));
  }

  /** The question whose handler is running. */
  get asking(): GetStateTask | undefined {
    return [...this.#questions.keys()].find((question) => question.isAsking);
  }

  /** Refuses the questions of a migration; false if there are none. */
  refuse(migrationId: string | undefined, reason: unknown): boolean {
    const questions = this.#questionsOf(migrationId);
    for (const question of questions) question.refuse(reason);
    return questions.length > 0;
  }

  /** What was asked on a connection that is gone is asked again on the next one: an answer would be one too many. */
  disconnected(): void {
    const questions = [...this.#questions.keys()];
    for (const question of questions) question.withdraw();
    const why = new MigrationClientError("disconnected", "the connection that asked for the state is gone");
    this.#queue.preempt((task) => questions.some((question) => question === task), why);
  }

  stop(reason: MigrationClientError): void {
    for (const question of this.#questions.keys()) question.withdraw();
    this.#queue.stop(reason);
  }

  #questionsOf(migrationId: string | undefined): GetStateTask[] {
    return [...this.#questions.keys()].filter((question) => question.migrationId === migrationId);
  }

  #ask(migrationId: string, verdict: Verdict): void {
    const { clock, getStateTimeoutMs, session } = this.#deps;
    const question = new GetStateTask(migrationId, {
      ...this.#deps,
      onOutcome: (outcome) => {
        this.#questions.get(question)?.();
        this.#questions.delete(question);
        if (outcome === "refused" && verdict.ok) session.refused(verdict.migration);
      },
    });
    if (!verdict.ok) {
      question.refuse(verdict.why);
      return;
    }
    const stopTimer = clock.setTimer(() => this.#timeOut(question), getStateTimeoutMs);
    this.#questions.set(question, stopTimer);
    this.#queue.add(question);
  }

  #timeOut(question: GetStateTask): void {
    const { getStateTimeoutMs, log } = this.#deps;
    const reason = question.isAsking
      ? `onGetState did not answer within ${getStateTimeoutMs} ms`
      : `the job was busy with ${this.#queue.busyWith ?? "another handler"} for ${getStateTimeoutMs} ms`;
    log(`${reason}: refused`);
    question.refuse(reason);
    this.#queue.preempt((task) => task === question, new MigrationClientError("timed-out", reason));
  }

  #abort(migrationId: string, reason: string): void {
    const { log } = this.#deps;
    log(`${migrationId} aborted by the worker: ${JSON.stringify(reason)}`);
    // The worker takes the next state for the answer to its next question: one for this migration must not follow.
    for (const question of this.#questionsOf(migrationId)) question.withdraw();
    this.#queue.preempt(
      (task) => task.migrationId === migrationId,
      new MigrationClientError("aborted", `the worker aborted ${migrationId}: ${reason}`),
    );
    this.#queue.addFirst(this.#abortTask(migrationId, reason));
  }

  #abortTask(migrationId: string, reason: string): Task {
    const { handlers, log, redact } = this.#deps;
    return {
      handler: "onAbort",
      migrationId,
      run: async () => {
        try {
          await handlers.onAbort?.(reason, migrationId);
        } catch (error) {
          log(redact(`onAbort failed: ${describeError(error)}`));
        }
      },
    };
  }
}
