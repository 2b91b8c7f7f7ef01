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
export interface Driver {
  readonly state: ClientState;
  /** Takes an input. What an effect leads to at once is an input too, taken before the effects that come after it. */
  dispatch(input: ClientInput): void;
  /** Something has arrived from the worker. */
  heard(): void;
  /** @throws MigrationClientError if the frame cannot be sent at all. */
  report(method: string, frame: PlainReport): void;
  /** Answers the question whose handler is running. @throws as {@link report} */
  reportState(payload: unknown): void;
  refuseState(reason: unknown): void;
}

export function newDriver(deps: DriverDeps): Driver {
  const { handlers, clock, log, redact, send, disconnect } = deps;
  let { state } = deps;
  let silentSince = clock.now();
  const controllers = new Map<number, AbortController>();
  /** By the key of each timer that runs, what stops it. */
  const timers = new Map<string, () => void>();

  function dispatch(input: ClientInput): void {
    const step = clientTransition(state, input, handlers.names);
    ({ state } = step);
    setTimers();
    for (const effect of step.effects) perform(effect);
  }

  function perform(effect: ClientEffect): void {
    switch (effect.type) {
      case "log":
        log(effect.line);
        break;
      case "send":
        if (send(effect.text)) dispatch({ type: "written", seq: effect.seq });
        break;
      case "disconnect":
        disconnect();
        break;
      case "fire":
        controllers.get(effect.task)?.abort(new MigrationClientError(effect.code, effect.message));
        break;
      case "run":
        // A signal that has just fired may have made the job close the client.
        if (!state.isClosed) void run(effect.task);
    }
  }

  async function run(task: Task): Promise<void> {
    const { key, frame } = task;
    const name = handlers.names[frame.type];
    const handle = handlers.find(frame);
    if (!handle) return dispatch({ type: "no-handler", task: key });
    const controller = new AbortController();
    const { signal } = controller;
    controllers.set(key, controller);
    let failure: string | undefined;
    try {
      const value = await handle({ signal, epoch: frame.epoch }, (made) => {
        if (!signal.aborted) report(name, made);
      });
      if (openQuestion(state.queue, key)) {
        if (isStateRefusal(value)) refuse(task, value.reason);
        else answer(task, name, value);
      }
    } catch (error) {
      failure = redact(`${name} failed: ${describeError(error)}`);
    }
    controllers.delete(key);
    dispatch({ type: "settled", task: key, failure });
  }

  /** Runs the timers of the present state and no other ones. */
  function setTimers(): void {
    // A timer of silence is another one whenever something is heard.
    const due = new Map(
      dueTimers(state).map((timer) => [timer.isSilence ? `${timer.key} ${silentSince}` : timer.key, timer]),
    );
    for (const [key, stop] of timers) {
      if (due.has(key)) continue;
      stop();
      timers.delete(key);
    }
    for (const [key, { ms, isSilence, input }] of due) {
      if (timers.has(key)) continue;
      const expire = (): void => {
        timers.delete(key);
        dispatch(input);
      };
      timers.set(key, clock.setTimer(expire, isSilence ? Math.max(0, silentSince + ms - clock.now()) : ms));
    }
  }

  function report(method: string, frame: PlainReport): void {
    const { session } = state;
    const text = mayReport(state, frame.type) ? encode(method, frame, session.current ?? "") : "";
    // A source that stops waits from then on, however long ago it was asked to, and no longer for repeating itself.
    if (!stoppedMigration(session)) silentSince = clock.now();
    dispatch({ type: "report", method, report: frame.type, text });
  }

  /** Answers with the state, or with a refusal if it cannot be sent. @throws in the latter case. */
  function answer(question: Task, method: string, payload: unknown): void {
    let text: string;
    try {
      text = encode(method, { type: "state", payload }, question.frame.migrationId);
    } catch (error) {
      refuse(question, redact(describeError(error)));
      throw error;
    }
    dispatch({ type: "answered", task: question.key, method, text });
  }

  function refuse({ key: task }: Task, reason: unknown): void {
    dispatch({ type: "refused", task, reason: describeError(reason) });
  }

  function encode(method: string, frame: ReportFrame, migrationId: string): string {
    const text = encodeReport(method, frame);
    const why = whyTooLarge(state, { type: frame.type, method, text, migrationId });
    if (why !== undefined) throw new MigrationClientError("oversized-payload", why);
    return text;
  }

  function asked(method: string): Task | undefined {
    const question = askedQuestion(state.queue);
    if (!question) log(`${method} dropped: no get-state waits for an answer (what onGetState returns is one too)`);
    return question;
  }

  return {
    get state() {
      return state;
    },
    dispatch,
    heard() {
      silentSince = clock.now();
      setTimers();
    },
    report,
    reportState(payload) {
      const question = asked("reportState");
      if (question) answer(question, "reportState", payload);
    },
    refuseState(reason) {
      const question = asked("refuseState");
      if (question) refuse(question, reason);
    },
  };
}
