import type { CommittedFrame } from "@changeover/migration-protocol";
import type { Clock } from "./clock.js";
import { cutoverTask } from "./cutover-task.js";
import { describeError } from "./describe-error.js";
import { GetStateTask } from "./get-state-task.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import type { Reports } from "./reports.js";
import type { CommandFrame, Migration, Session } from "./session.js";
import { TaskQueue, type Task } from "./task-queue.js";

type GetState = Extract<CommandFrame, { type: "get-state" }>;
type Abort = Extract<CommandFrame, { type: "abort" }>;

const DEADLINE_SHARE = 0.9;

export interface CommandsDeps {
  readonly handlers: MigrationHandlers;
  readonly session: Session;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly getStateTimeoutMs: number;
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
    const { session, reports, log } = this.#deps;
    const verdict = session.receive(frame);
    if (!verdict.ok) {
      const { why, refuses } = verdict;
      log(`${frame.type} of ${frame.migrationId} ${refuses ? "refused" : "ignored"}: ${why}`);
      if (refuses) reports.answer("refuseState", { type: "state-refused", reason: why }, refuses)();
      return;
    }
    switch (frame.type) {
      case "get-state":
        this.#ask(frame, verdict.migration);
        break;
      case "abort":
        this.#abort(frame);
        break;
      case "committed":
        this.#committed(frame);
        break;
      default:
        this.#queue.add(cutoverTask(frame, verdict.migration, this.#deps));
    }
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

  /** A worker of version 1 asks again on the next connection: an answer to what it asked before would be one too many. */
  withdraw(): void {
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

  #ask({ migrationId, epoch, deadlineMs = Infinity }: GetState, migration: Migration): void {
    const { clock, getStateTimeoutMs, reports, session } = this.#deps;
    const question = new GetStateTask(migrationId, {
      ...this.#deps,
      epoch,
      answer: (method, frame) => reports.answer(method, frame, migration),
      onOutcome: (outcome) => {
        this.#questions.get(question)?.();
        this.#questions.delete(question);
        if (outcome === "refused") session.refused(migration);
      },
    });
    // The refusal is to arrive before the worker's own deadline, so that it hears a reason and not only a silence.
    const timeoutMs = Math.floor(Math.min(getStateTimeoutMs, DEADLINE_SHARE * deadlineMs));
    const stopTimer = clock.setTimer(() => this.#timeOut(question, timeoutMs), timeoutMs);
    this.#questions.set(question, stopTimer);
    this.#queue.add(question);
  }

  #timeOut(question: GetStateTask, timeoutMs: number): void {
    const reason = question.isAsking
      ? `onGetState did not answer within ${timeoutMs} ms`
      : `the job was busy with ${this.#queue.busyWith ?? "another handler"} for ${timeoutMs} ms`;
    this.#deps.log(`${reason}: refused`);
    question.refuse(reason);
    this.#queue.preempt((task) => task === question, new MigrationClientError("timed-out", reason));
  }

  #abort({ migrationId, reason, epoch }: Abort): void {
    const { handlers, log } = this.#deps;
    log(`${migrationId} aborted by the worker: ${JSON.stringify(reason)}`);
    this.#over(migrationId);
    this.#queue.preempt(
      (task) => task.migrationId === migrationId,
      new MigrationClientError("aborted", `the worker aborted ${migrationId}: ${reason}`),
    );
    this.#queue.addFirst(
      this.#notice("onAbort", migrationId, (signal) => handlers.onAbort?.(reason, migrationId, { signal, epoch })),
    );
  }

  #committed({ migrationId, epoch }: CommittedFrame): void {
    const { handlers, log } = this.#deps;
    log(`${migrationId} committed`);
    this.#over(migrationId);
    this.#queue.add(
      this.#notice("onCommitted", migrationId, (signal) => handlers.onCommitted?.(migrationId, { signal, epoch })),
    );
  }

  /** No report of a migration that is over may follow, nor an answer: in version 1 it would be one to the next question. */
  #over(migrationId: string): void {
    for (const question of this.#questionsOf(migrationId)) question.withdraw();
    this.#deps.reports.ended(migrationId);
  }

  #notice(handler: string, migrationId: string, call: (signal: AbortSignal) => unknown): Task {
    const { log, redact } = this.#deps;
    return {
      handler,
      migrationId,
      run: async (signal) => {
        try {
          await call(signal);
        } catch (error) {
          log(redact(`${handler} failed: ${describeError(error)}`));
        }
      },
    };
  }
}
