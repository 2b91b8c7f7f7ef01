import type { JobToWorkerFrame } from "@changeover/migration-protocol";
import { describeError } from "./describe-error.js";
import { encodeReport } from "./encode-report.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { isStateRefusal } from "./state-refusal.js";
import type { Task } from "./task-queue.js";

/** What became of a `get-state`. Withdrawn: nobody waits for the answer any more. */
export type StateOutcome = "given" | "refused" | "withdrawn";

export interface GetStateDeps {
  readonly handlers: MigrationHandlers;
  readonly send: (text: string) => void;
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
    const { handlers, log, redact } = this.#deps;
    if (!this.#isOpen) return;
    this.#isRunning = true;
    try {
      if (!handlers.onGetState) {
        this.refuse("this job has no onGetState handler");
        return;
      }
      const value: unknown = await handlers.onGetState(this.migrationId, { signal });
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
    let text: string;
    try {
      text = encodeReport(method, { type: "state", payload });
    } catch (error) {
      this.refuse(this.#deps.redact(describeError(error)));
      throw error;
    }
    this.#answer("given", text);
  }

  refuse(reason: unknown): void {
    const frame: JobToWorkerFrame = { type: "state-refused", reason: describeError(reason) };
    this.#answer("refused", encodeReport("refuseState", frame));
  }

  withdraw(): void {
    this.#answer("withdrawn");
  }

  #answer(outcome: StateOutcome, text?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#deps.onOutcome(outcome);
    if (text !== undefined) this.#deps.send(text);
  }
}
