import type { CommandHandlers } from "./command-handlers.js";
import { Connection } from "./connection.js";
import { describeError } from "./describe-error.js";
import { Driver } from "./driver.js";
import type { HandoverEvent, HandoverEventListener } from "./handover-event.js";
import type { JobEnvironment } from "./job-environment.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { CheckedOptions, ConnectionEnd } from "./migration-client-options.js";
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

/** Makes a client and starts its first connection. No handler is called before this has returned. */
export function createMigrationClient(deps: MigrationClientDeps): MigrationClient {
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
  /** Listeners hear of an event after the code that caused it, so that those who subscribe to a new client miss none. */
  const emit = (event: HandoverEvent): void =>
    queueMicrotask(() => {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          log(`a listener failed: ${describeError(error)}`);
        }
      }
    });
  const shouldReconnect = (end: ConnectionEnd): boolean => {
    try {
      return options.shouldReconnect(end);
    } catch (error) {
      log(`shouldReconnect failed: ${describeError(error)}`);
      return true;
    }
  };
  const ready = settleable<MigrationRole>();
  const ended = settleable<void>();
  const driver = new Driver({
    state: newClientState(environment.role, environment.migrationId, options),
    handlers: handlers(emit),
    clock: options.clock,
    log,
    redact,
    send: (text) => connection.send(text),
    disconnect: () => connection.close(),
  });
  const connection = new Connection({
    ...environment,
    ...options,
    sessionId,
    openSocket,
    shouldReconnect,
    log,
    redact,
    emit,
    onHeard: () => driver.heard(),
    onAcknowledged: (ack) => {
      driver.dispatch({ type: "acknowledged", ack });
      const { link, session } = driver.state;
      emit({ type: "connected", role: session.role, protocol: link.version, epoch: session.epoch ?? undefined });
      ready.resolve(driver.state.session.role);
    },
    onCommand: (frame) => driver.dispatch({ type: "command", frame }),
    onReportAck: (ack) => driver.dispatch({ type: "report-ack", ack }),
    onLost: () => driver.dispatch({ type: "lost" }),
    onLast: stop,
    onClosed: () => ended.resolve(),
  });

  function stop(why: string): void {
    if (driver.state.isClosed) return;
    connection.retire();
    driver.dispatch({ type: "closed", why, isConnected: connection.isAcknowledged });
    emit({ type: "closed", reason: why });
    ready.reject(new MigrationClientError("closed", why));
  }

  connection.open();
  return {
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
      return connection.isAcknowledged && !driver.state.isClosed;
    },
    ready: ready.promise,
    reportState: (payload) => driver.reportState(payload),
    refuseState: (reason) => driver.refuseState(reason),
    reportReady: (payload) => driver.report("reportReady", { type: "target-ready", payload }),
    reportStoppedOutput: (payload) => driver.report("reportStoppedOutput", { type: "source-stopped-output", payload }),
    reportApplied: () => driver.report("reportApplied", { type: "target-applied" }),
    abort: (reason) => driver.dispatch({ type: "abort", reason: describeError(reason) }),
    close: () => {
      stop("the client was closed");
      return ended.promise;
    },
  };
}
