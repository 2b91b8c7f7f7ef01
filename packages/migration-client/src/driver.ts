import type { ReportFrame } from "@changeover/migration-protocol";
import type { Clock } from "./clock.js";
import type { CommandHandlers, PlainReport } from "./command-handlers.js";
import { describeError } from "./describe-error.js";
import { encodeReport } from "./encode-report.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { ClientEffect, ClientInput, ClientState } from "./rules/client-state.js";
import { clientTransition, mayReport, whyTooLarge } from "./rules/client-transition.js";
import { dueTimers } from "./rules/due-timers.js";
import { stoppedMigration } from "./rules/session.js";
import { askedQuestion, openQuestion, type Task } from "./rules/task-queue.js";
import { isStateRefusal } from "./state-refusal.js";

export interface DriverDeps {
  readonly state: ClientState;
  readonly handlers: CommandHandlers;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Takes the token out of a text that a handler threw. */
  readonly redact: (text: string) => string;
  /** Writes a frame to the acknowledged connection; false if there is none. */
  readonly send: (text: string) => boolean;
  /** Closes the connection for good, or ends the attempts to make one. */
  readonly disconnect: () => void;
}

/** Does what the rules decide: calls handlers, fires signals, runs timers, writes frames. Decides nothing itself. */
export class Driver {
  readonly #deps: DriverDeps;
  readonly #controllers = new Map<number, AbortController>();
  /** By the key of each timer that runs, what stops it. */
  readonly #timers = new Map<string, () => void>();
  #silentSince: number;
  #state: ClientState;

  constructor(deps: DriverDeps) {
    this.#deps = deps;
    this.#state = deps.state;
    this.#silentSince = deps.clock.now();
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Takes an input. What an effect leads to at once is an input too, taken before the effects that come after it. */
  dispatch(input: ClientInput): void {
    const { state, effects } = clientTransition(this.#state, input, this.#deps.handlers.names);
    this.#state = state;
    this.#setTimers();
    for (const effect of effects) this.#perform(effect);
  }

  /** Something has arrived from the worker. */
  heard(): void {
    this.#silentSince = this.#deps.clock.now();
    this.#setTimers();
  }

  /** @throws MigrationClientError if the frame cannot be sent at all. */
  report(method: string, frame: PlainReport): void {
    const { session } = this.#state;
    const text = mayReport(this.#state, frame.type) ? this.#encode(method, frame, session.current ?? "") : "";
    // A source that stops waits from then on, however long ago it was asked to, and no longer for repeating itself.
    if (!stoppedMigration(session)) this.#silentSince = this.#deps.clock.now();
    this.dispatch({ type: "report", method, report: frame.type, text });
  }

  /** Answers the question whose handler is running. @throws as {@link report} */
  reportState(payload: unknown): void {
    const question = this.#asked("reportState");
    if (question) this.#give(question, "reportState", payload);
  }

  refuseState(reason: unknown): void {
    const question = this.#asked("refuseState");
    if (question) this.dispatch({ type: "refused", task: question.key, reason: describeError(reason) });
  }

  #asked(method: string): Task | undefined {
    const { isClosed, queue } = this.#state;
    const question = isClosed ? undefined : askedQuestion(queue);
    const why = isClosed
      ? "the client is closed"
      : "no get-state waits for an answer (what onGetState returns, if only undefined, is one)";
    if (!question) this.#deps.log(`${method} dropped: ${why}`);
    return question;
  }

  /** Answers with the state, or with a refusal if it cannot be sent. @throws in the latter case. */
  #give({ key: task, frame }: Task, method: string, payload: unknown): void {
    let text: string;
    try {
      text = this.#encode(method, { type: "state", payload }, frame.migrationId);
    } catch (error) {
      this.dispatch({ type: "refused", task, reason: this.#deps.redact(describeError(error)) });
      throw error;
    }
    this.dispatch({ type: "answered", task, method, text });
  }

  #encode(method: string, frame: ReportFrame, migrationId: string): string {
    const { type } = frame;
    const text = encodeReport(method, frame);
    const why = whyTooLarge(this.#state, { type, method, text, migrationId });
    if (why !== undefined) throw new MigrationClientError("oversized-payload", why);
    return text;
  }

  #perform(effect: ClientEffect): void {
    switch (effect.type) {
      case "log":
        this.#deps.log(effect.line);
        break;
      case "send":
        if (this.#deps.send(effect.text)) this.dispatch({ type: "written", seq: effect.seq });
        break;
      case "disconnect":
        this.#deps.disconnect();
        break;
      case "fire":
        this.#controllers.get(effect.task)?.abort(new MigrationClientError(effect.code, effect.message));
        break;
      case "run":
        // A signal that has just fired may have made the job close the client.
        if (!this.#state.isClosed) void this.#run(effect.task);
    }
  }

  async #run(task: Task): Promise<void> {
    const { handlers, redact } = this.#deps;
    const { key, frame } = task;
    const name = handlers.names[frame.type];
    const handle = handlers.find(frame);
    if (!handle) {
      this.dispatch({ type: "no-handler", task: key });
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    this.#controllers.set(key, controller);
    let failure: string | undefined;
    try {
      const value = await handle({ signal, epoch: frame.epoch }, (report) => {
        if (!signal.aborted) this.report(name, report);
      });
      if (openQuestion(this.#state.queue, key)) {
        if (isStateRefusal(value)) {
          this.dispatch({ type: "refused", task: key, reason: describeError(value.reason) });
        } else this.#give(task, name, value);
      }
    } catch (error) {
      failure = redact(`${name} failed: ${describeError(error)}`);
    }
    this.#controllers.delete(key);
    this.dispatch({ type: "settled", task: key, failure });
  }

  /** Runs the timers of the present state and no other ones. */
  #setTimers(): void {
    const { clock } = this.#deps;
    // A timer of silence is another one whenever something is heard.
    const due = dueTimers(this.#state).map((timer) =>
      timer.isSilence ? { ...timer, key: `${timer.key} ${this.#silentSince}` } : timer,
    );
    for (const [key, stop] of this.#timers) {
      if (due.some((timer) => timer.key === key)) continue;
      stop();
      this.#timers.delete(key);
    }
    for (const { key, ms, isSilence, input } of due) {
      if (this.#timers.has(key)) continue;
      const delayMs = isSilence ? Math.max(0, ms - (clock.now() - this.#silentSince)) : ms;
      const run = (): void => {
        this.#timers.delete(key);
        this.dispatch(input);
      };
      this.#timers.set(key, clock.setTimer(run, delayMs));
    }
  }
}
