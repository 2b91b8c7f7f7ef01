import { describeError } from "./describe-error.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import type { AnswerFrame } from "./session.js";
import { isStateRefusal } from "./state-refusal.js";
import type { Task } from "./task-queue.js";

/** What became of a `get-state`. Withdrawn: nobody waits for the answer any more. */
export type StateOutcome = "given" | "refused" | "withdrawn";

export interface GetStateDeps {
  readonly handlers: MigrationHandlers;
  /** The epoch of the question; undefined in version 1. */
  readonly epoch: number | undefined;
  /** Checks an answer, throws if it cannot be sent, and returns the function that sends it. */
  readonly answer: (method: string, frame: AnswerFrame) => () => void;
  readonly log: (line: string) => void;
  /** Takes the token out of a text that a handler threw. */
  readonly redact: (text: string) => string;
  /** Called once, before the answer is sent. */
  readonly onOutcome: (outcome: StateOutcome) => void;
}

/** One `get-state` and its exactly one answer. */
export class GetStateTask implements Task {
  readonly handler = "onGetState";
  readonly migrationId: string;
  readonly #deps: GetStateDeps;
  #isOpen = true;
  #isRunning = false;

  constructor(migrationId: string, deps: GetStateDeps) {
    this.migrationId = migrationId;
    this.#deps = deps;
  }

  /** Whether the handler is running and has not answered yet. */
  get isAsking(): boolean {
    return this.#isOpen && this.#isRunning;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { handlers, epoch, log, redact } = this.#deps;
    if (!this.#isOpen) return;
    this.#isRunning = true;
    try {
      if (!handlers.onGetState) {
        this.refuse("this job has no onGetState handler");
        return;
      }
      const value: unknown = await handlers.onGetState(this.migrationId, { signal, epoch });
      if (!this.#isOpen) return;
      if (isStateRefusal(value)) this.refuse(value.reason);
      else this.give(this.handler, value);
    } catch (error) {
      const reason = redact(`${this.handler} failed: ${describeError(error)}`);
      // Already answered, or about a payload that has just been refused with this reason.
      if (this.#isOpen) this.refuse(reason);
      log(reason);
    } finally {
      this.#isRunning = false;
    }
  }

  /**
   * Answers with the state, or with a refusal if it cannot be sent.
   *
   * @throws MigrationClientError in the latter case.
   */
  give(method: string, payload: unknown): void {
    let send: () => void;
    try {
      send = this.#deps.answer(method, { type: "state", payload });
    } catch (error) {
      this.refuse(this.#deps.redact(describeError(error)));
      throw error;
    }
    this.#answer("given", send);
  }

  refuse(reason: unknown): void {
    this.#answer("refused", this.#deps.answer("refuseState", { type: "state-refused", reason: describeError(reason) }));
  }

  withdraw(): void {
    this.#answer("withdrawn");
  }

  #answer(outcome: StateOutcome, send?: () => void): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#deps.onOutcome(outcome);
    send?.();
  }
}
