import { Commands } from "./commands.js";
import { Connection } from "./connection.js";
import { describeError } from "./describe-error.js";
import type { JobEnvironment } from "./job-environment.js";
import { MigrationClientError } from "./migration-client-error.js";
import type { CheckedOptions } from "./migration-client-options.js";
import type { MigrationClient, MigrationRole } from "./migration-client.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { redactor } from "./redactor.js";
import { Reports } from "./reports.js";
import { Session } from "./session.js";
import { settleable } from "./settleable.js";
import type { WebSocketConstructor } from "./web-socket.js";

/** What a client is made of: everything that touches the world is passed in. */
export interface MigrationClientDeps {
  readonly handlers: MigrationHandlers;
  readonly environment: JobEnvironment;
  readonly options: CheckedOptions;
  /** Random, and another one for every client. */
  readonly sessionId: string;
  readonly findWebSocket: () => WebSocketConstructor | Promise<WebSocketConstructor>;
}

/** Makes a client and starts its first connection. No handler is called before this has returned. */
export function createMigrationClient(deps: MigrationClientDeps): MigrationClient {
  const { handlers, environment, options, sessionId, findWebSocket } = deps;
  const redact = redactor(environment);
  const name = options.name ?? environment.jobId ?? "migration-client";
  const log = (line: string): void => {
    try {
      options.log(redact(`${name}: ${line}`));
    } catch {
      // A log that fails, a full disk, must not take a live job down or keep it from answering.
    }
  };
  const ready = settleable<MigrationRole>();
  const session = new Session(environment.role, environment.migrationId);
  let isClosed = false;

  const connection = new Connection({
    ...environment,
    ...options,
    sessionId,
    findWebSocket,
    log,
    onAcknowledged: (ack) => {
      session.acknowledge(ack);
      log(session.role === "target" ? `connected as target of ${session.migrationId ?? ""}` : "connected as source");
      if (connection.version === 1) commands.withdraw();
      reports.flush();
      ready.resolve(session.role);
    },
    onCommand: (frame) => commands.receive(frame),
    onReportAck: (ack) => reports.acknowledged(ack),
    onLost: () => {
      if (connection.version === 1) commands.withdraw();
    },
    onSuperseded: () => stop("a newer connection of this instance took over"),
  });
  const reports = new Reports({ session, link: connection, log });
  const commands = new Commands({
    handlers,
    session,
    reports,
    clock: options.clock,
    getStateTimeoutMs: options.getStateTimeoutMs,
    log,
    redact,
  });

  function stop(why: string): void {
    if (isClosed) return;
    isClosed = true;
    const error = new MigrationClientError("closed", why);
    connection.close();
    commands.stop(error);
    ready.reject(error);
  }

  /** Runs `act` unless the client is closed, which makes every report pointless. */
  function report(method: string, act: () => void): void {
    if (isClosed) log(`${method} dropped: the client is closed`);
    else act();
  }

  function answer(method: string, act: (question: NonNullable<typeof commands.asking>) => void): void {
    report(method, () => {
      const question = commands.asking;
      if (question) act(question);
      else
        log(`${method} dropped: no get-state waits for an answer (what onGetState returns, if only undefined, is one)`);
    });
  }

  connection.open();
  return {
    get role() {
      return session.role;
    },
    get migrationId() {
      return session.migrationId;
    },
    get connected() {
      return connection.isAcknowledged;
    },
    ready: ready.promise,
    reportState: (payload) => answer("reportState", (question) => question.give("reportState", payload)),
    refuseState: (reason) => answer("refuseState", (question) => question.refuse(reason)),
    reportReady: (payload) =>
      report("reportReady", () => reports.report("reportReady", { type: "target-ready", payload })),
    reportStoppedOutput: (payload) =>
      report("reportStoppedOutput", () =>
        reports.report("reportStoppedOutput", { type: "source-stopped-output", payload }),
      ),
    reportApplied: () => report("reportApplied", () => reports.report("reportApplied", { type: "target-applied" })),
    abort: (reason) =>
      report("abort", () => {
        if (commands.refuse(session.migrationId, reason)) return;
        reports.report("abort", { type: "abort", reason: describeError(reason) });
      }),
    close: () => stop("the client was closed"),
  };
}
