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

test("options are checked even where there is no worker", () => {
  expect(() => connectMigration({}, {}, { reconnectMinMs: -1 })).toThrow(/reconnectMinMs .* -1/);
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
