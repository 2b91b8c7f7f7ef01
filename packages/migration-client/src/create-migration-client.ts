import type { CommandHandlers } from "./command-handlers.js";
import { newConnection } from "./connection.js";
import { describeError } from "./describe-error.js";
import { newDriver, type Driver } from "./driver.js";
import type { HandoverEvent, HandoverEventListener } from "./handover-event.js";
import type { JobEnvironment } from "./job-environment.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { CheckedOptions } from "./migration-client-options.js";
import type { MigrationClient, MigrationRole } from "./migration-client.js";
import type { OpenSocket } from "./open-socket.js";
import { redactor } from "./redactor.js";
import { newClientState } from "./rules/client-state.js";
import { currentMigration } from "./rules/session.js";
import { settleable } from "./settleable.js";

/** What a client is made of: everything that touches the world is passed in. */
export interface MigrationClientDeps {
  /** Makes the handlers, which may tell the listeners what they are called for. */
  readonly handlers: (emit: (event: HandoverEvent) => void) => CommandHandlers;
  readonly listeners: Iterable<HandoverEventListener>;
  readonly environment: JobEnvironment;
  readonly options: CheckedOptions;
  /** Random, and another one for every client. */
  readonly sessionId: string;
  readonly openSocket: OpenSocket;
}

/** What clients of either form have in common. */
export type ClientCore = Pick<
  MigrationClient,
  "role" | "migrationId" | "epoch" | "connected" | "ready" | "abort" | "close"
>;

export interface StartedClient {
  readonly client: ClientCore;
  /** Takes the reports; undefined where no worker is configured. */
  readonly driver: Driver | undefined;
}

/** Makes a client and starts its first connection. No handler is called before this has returned. */
export function createMigrationClient(deps: MigrationClientDeps): StartedClient {
  const { handlers, listeners, environment, options, sessionId, openSocket } = deps;
  const redact = redactor(environment);
  const name = options.name ?? environment.jobId ?? "migration-client";
  const log = (line: string): void => {
    try {
      options.log(redact(`${name}: ${line}`));
    } catch {
      // A log that fails, a full disk, must not take a live job down or keep it from answering.
    }
  };
  /** Calls what the job's author has given; a mistake in there is logged. */
  const attempt = <T>(what: string, run: () => T): T | undefined => {
    try {
      return run();
    } catch (error) {
      log(`${what} failed: ${describeError(error)}`);
      return undefined;
    }
  };
  /** Listeners hear of an event after the code that caused it, so that those who subscribe to a new client miss none. */
  const emit = (event: HandoverEvent): void =>
    queueMicrotask(() => {
      for (const listener of listeners) attempt("a listener", () => listener(event));
    });
  const ready = settleable<MigrationRole>();
  const ended = settleable<void>();
  const driver = newDriver({
    state: newClientState(environment.role, environment.migrationId, options),
    handlers: handlers(emit),
    clock: options.clock,
    log,
    redact,
    send: (text) => connection.send(text),
    disconnect: () => connection.close(),
  });
  const { dispatch } = driver;
  const connection = newConnection({
    ...environment,
    ...options,
    sessionId,
    openSocket,
    // Only a no counts: a function that returns nothing has not decided.
    shouldReconnect: (end) => attempt("shouldReconnect", () => options.shouldReconnect(end)) !== false,
    log,
    redact,
    emit,
    onHeard: driver.heard,
    onAcknowledged(ack) {
      dispatch({ type: "acknowledged", ack });
      const { link, session } = driver.state;
      emit({ type: "connected", role: session.role, protocol: link.version, epoch: session.epoch ?? undefined });
      ready.resolve(session.role);
    },
    onCommand: (frame) => dispatch({ type: "command", frame }),
    onReportAck: (ack) => dispatch({ type: "report-ack", ack }),
    onLost: () => dispatch({ type: "lost" }),
    onLast: stop,
    onClosed: ended.resolve,
  });

  function stop(why: string): void {
    if (driver.state.isClosed) return;
    log(why);
    connection.retire();
    dispatch({ type: "closed", why, isConnected: connection.isAcknowledged() });
    emit({ type: "closed", reason: why });
    ready.reject(new MigrationClientError("closed", why));
  }

  void connection.open();
  const client: ClientCore = {
    get role() {
      return driver.state.session.role;
    },
    get migrationId() {
      return currentMigration(driver.state.session)?.id || undefined;
    },
    get epoch() {
      return driver.state.session.epoch ?? undefined;
    },
    get connected() {
      return connection.isAcknowledged() && !driver.state.isClosed;
    },
    ready: ready.promise,
    abort: (reason) => dispatch({ type: "abort", reason: describeError(reason) }),
    close() {
      stop("the client was closed");
      return ended.promise;
    },
  };
  return { client, driver };
}
