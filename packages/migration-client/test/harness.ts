import { onTestFinished } from "vitest";
import { callbacks } from "../src/callbacks.js";
import { reports } from "../src/connect-migration.js";
import { createMigrationClient } from "../src/create-migration-client.js";
import { readJobEnvironment } from "../src/job-environment.js";
import { checkOptions, type MigrationClientOptions } from "../src/migration-client-options.js";
import { socketOpener } from "../src/open-socket.js";
import type { MigrationClient } from "../src/migration-client.js";
import type { MigrationHandlers } from "../src/migration-handlers.js";
import { VERSION } from "../src/version.js";
import { FakeWebSocket } from "./fake-web-socket.js";
import { SleepyClock } from "./sleepy-clock.js";

export const TOKEN = "s3cret-t0ken";

export const SESSION = "session-1";

export const ENV = {
  NORSK_WORKER_WS_URL: "ws://user:pa55word@worker.test:4000/jobs?key=qu3ry",
  NORSK_WORKER_TOKEN: TOKEN,
  NORSK_RUNTIME_ID: "job-7",
};

/** What the client says first on every connection. */
export const HELLO = {
  type: "hello",
  token: TOKEN,
  protocol: 2,
  session: SESSION,
  client: `@changeover/migration-client/${VERSION}`,
};

export interface Harness {
  readonly client: MigrationClient;
  readonly clock: SleepyClock;
  /** Every socket that the client has opened, oldest first. */
  readonly sockets: FakeWebSocket[];
  readonly lines: string[];
  /** The newest socket. */
  readonly socket: FakeWebSocket;
  /** Loses the present connection and acknowledges the next one. */
  reconnect(migrationId?: string): Promise<FakeWebSocket>;
  /** Loses the present connection and opens the next one, which is not acknowledged yet. */
  lose(): Promise<FakeWebSocket>;
}

export interface HarnessOptions extends MigrationClientOptions {
  readonly env?: Record<string, string>;
  /** A connected client is a source unless it is given a migration. */
  readonly target?: string;
}

/** A client on fake sockets and a clock that stands still, not yet acknowledged. */
export function unconnected(handlers: MigrationHandlers, options: HarnessOptions = {}): Harness {
  const { env, random = () => 0.5, target: _, ...opts } = options;
  const clock = new SleepyClock();
  const sockets: FakeWebSocket[] = [];
  const lines: string[] = [];
  class Socket extends FakeWebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const environment = readJobEnvironment({ ...ENV, ...env });
  if (!environment) throw new Error("the test's environment names no worker");
  const checked = checkOptions({ log: (line) => lines.push(line), clock, random, ...opts });
  const { client: core, driver } = createMigrationClient({
    handlers: () => callbacks(handlers),
    listeners: [],
    environment,
    options: checked,
    sessionId: SESSION,
    openSocket: socketOpener({
      ...checked,
      WebSocket: checked.WebSocket ?? (checked.createSocket ? undefined : Socket),
    }),
  });
  const client = Object.assign(core, reports(driver));
  const harness: Harness = {
    client,
    clock,
    sockets,
    lines,
    get socket() {
      const socket = sockets.at(-1);
      if (!socket) throw new Error("the client has opened no socket");
      return socket;
    },
    async reconnect(migrationId) {
      const socket = await harness.lose();
      socket.acknowledge(migrationId);
      return socket;
    },
    async lose() {
      harness.socket.fireClose(1012);
      const before = sockets.length;
      while (sockets.length === before) await clock.advance(100);
      return harness.socket;
    },
  };
  onTestFinished(() => void client.close());
  return harness;
}

/** As {@link unconnected}, with the first connection acknowledged. */
export function connected(handlers: MigrationHandlers, options: HarnessOptions = {}): Harness {
  const harness = unconnected(handlers, options);
  harness.socket.acknowledge(options.target);
  return harness;
}

/** As {@link connected}, to a worker that speaks version 2. */
export function connectedV2(handlers: MigrationHandlers, options: HarnessOptions = {}): Harness {
  const harness = unconnected(handlers, options);
  harness.socket.acknowledgeV2(options.target);
  return harness;
}

/** Lets handlers that are due run: a turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
