import { expect, test, vi } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { connectMigration } from "./connect-migration.js";

const env = { NORSK_WORKER_WS_URL: "ws://worker.test/", NORSK_WORKER_TOKEN: "s3cret" };

test("without a worker in the environment the client has role none and does nothing", async () => {
  const client = connectMigration({}, {});
  expect(client).toMatchObject({ role: "none", migrationId: undefined, connected: false });
  await expect(client.ready).resolves.toBe("none");
  client.reportState(1n);
  client.refuseState("no");
  client.reportReady(1n);
  client.reportStoppedOutput(1n);
  client.reportApplied();
  client.abort("no");
  client.close();
  client.close();
});

test("the environment of the process is the default, and its lack is no environment", () => {
  vi.stubEnv("NORSK_WORKER_WS_URL", "http://worker.test/");
  vi.stubEnv("NORSK_WORKER_TOKEN", "s3cret");
  expect(() => connectMigration({})).toThrow(expect.objectContaining({ code: "invalid-environment" }));
  vi.stubGlobal("process", undefined);
  try {
    expect(connectMigration({}).role).toBe("none");
  } finally {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  }
});

/** Calls it as JavaScript can, without the types. */
const connectWith = (...args: unknown[]): unknown => Reflect.apply(connectMigration, undefined, args);

test.each([
  ["a handler that is no function", [{ onGetState: 5 }, {}], "handlers.onGetState must be a function, and is 5"],
  ["a handler that is a string", [{ onAbort: "5" }, {}], 'handlers.onAbort must be a function, and is "5"'],
  ["no handlers", [undefined, {}], "handlers must be an object, and is undefined"],
  ["a text for the handlers", ["onAbort", {}], 'handlers must be an object, and is "onAbort"'],
  ["an option out of range", [{}, {}, { reconnectMinMs: -1 }], /^option reconnectMinMs must be .*, and is -1$/],
  ["no options", [{}, {}, null], "opts must be an object, and is null"],
])("%s is an error even where there is no worker", (_, args, message) => {
  expect(() => connectWith(...args)).toThrow(expect.objectContaining({ code: "invalid-option" }));
  expect(() => connectWith(...args)).toThrow(message);
});

test("an environment that is none is an error", () => {
  expect(() => connectWith({}, null)).toThrow(expect.objectContaining({ code: "invalid-environment" }));
  expect(() => connectWith({}, null)).toThrow("env must be an object, and is null");
});

test("handlers may be of a class, have other members, and be left out as undefined or null", () => {
  class Job {
    readonly onAbort = undefined;
    readonly onCutoverReady = null;
    readonly name = "encoder";
    onGetState(): number {
      return 1;
    }
  }
  expect(connectWith(new Job(), {})).toMatchObject({ role: "none" });
});

test("the socket is made at once with the given constructor, and no handler is called before the return", async () => {
  const sockets: FakeWebSocket[] = [];
  class Socket extends FakeWebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const client = connectMigration({ onGetState: () => client.role }, env, { WebSocket: Socket });
  expect(sockets.map((socket) => socket.url)).toEqual(["ws://worker.test/"]);
  client.close();
});

test("a global WebSocket is used where there is one", () => {
  const urls: string[] = [];
  class Socket extends FakeWebSocket {
    constructor(url: string) {
      super(url);
      urls.push(url);
    }
  }
  vi.stubGlobal("WebSocket", Socket);
  try {
    connectMigration({}, env).close();
  } finally {
    vi.unstubAllGlobals();
  }
  expect(urls).toEqual(["ws://worker.test/"]);
});
