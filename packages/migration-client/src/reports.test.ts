import { LIMITS } from "@changeover/migration-protocol";
import { expect, test } from "vitest";
import { connected, turn, unconnected } from "../test/harness.js";

const GET_STATE = { type: "get-state", migrationId: "m-1" } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", payload: null } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", payload: null } as const;
const ABORT = { type: "abort", migrationId: "m-1", reason: "the source died" } as const;

test("reports without a connection wait and follow the next acknowledgement in their order", async () => {
  const { client, socket, reconnect } = connected({ onCutoverApply: () => {} }, { target: "m-1" });
  socket.fireFrame(CUTOVER_APPLY);
  socket.fireClose(1012);
  client.reportReady({ n: 1 });
  client.reportApplied();
  client.abort("and yet");
  const next = await reconnect("m-1");
  expect(socket.answers).toEqual([]);
  expect(next.answers).toEqual([
    { type: "target-ready", payload: { n: 1 } },
    { type: "target-applied" },
    { type: "abort", reason: "and yet" },
  ]);
});

test("a report is what it was when it was made", async () => {
  const { client, socket, reconnect } = connected({}, { target: "m-1" });
  socket.fireClose(1012);
  const position = { n: 1 };
  client.reportReady(position);
  position.n = 2;
  expect((await reconnect("m-1")).answers).toEqual([{ type: "target-ready", payload: { n: 1 } }]);
});

test("a source's report waits too: the migration goes on over a reconnect", async () => {
  const { client, socket, reconnect } = connected({ onCutoverReady: () => {} });
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  socket.fireClose(1006);
  client.reportStoppedOutput(5);
  const next = await reconnect();
  expect(client).toMatchObject({ role: "source", migrationId: "m-1" });
  expect(next.answers).toEqual([{ type: "source-stopped-output", payload: 5 }]);
});

test("what waits between open and acknowledgement is not sent before the acknowledgement", async () => {
  const { client, socket, sockets, clock } = connected({}, { target: "m-1" });
  socket.fireClose(1006);
  await clock.advance(500);
  sockets[1]?.fireOpen();
  client.reportReady(1);
  expect(sockets[1]?.answers).toEqual([]);
  sockets[1]?.fireFrame({ type: "hello-ack", migration: { id: "m-1" } });
  expect(sockets[1]?.answers).toEqual([{ type: "target-ready", payload: 1 }]);
});

test("a report that was written is not written again, one that could not be written is", async () => {
  const { client, socket, reconnect } = connected({}, { target: "m-1" });
  client.reportReady(1);
  socket.sendError = new Error("not open");
  client.abort("over");
  expect(client.connected).toBe(false);
  expect((await reconnect("m-1")).answers).toEqual([{ type: "abort", reason: "over" }]);
  expect((await reconnect("m-1")).answers).toEqual([]);
});

test("a connection that fails while the waiting reports are sent keeps the rest for the next one", async () => {
  const { client, socket, sockets, clock, reconnect } = connected({}, { target: "m-1" });
  socket.fireClose(1006);
  client.reportReady(1);
  client.reportReady(2);
  await clock.advance(500);
  const second = sockets[1];
  second?.fireOpen();
  if (second) second.sendError = new Error("not open");
  second?.fireFrame({ type: "hello-ack", migration: { id: "m-1" } });
  expect(client.connected).toBe(false);
  expect((await reconnect("m-1")).answers).toEqual([
    { type: "target-ready", payload: 1 },
    { type: "target-ready", payload: 2 },
  ]);
});

test("reports before the first acknowledgement wait for it", async () => {
  const { client, socket } = unconnected({});
  client.reportReady({ n: 0 });
  socket.acknowledge("m-1");
  expect(socket.answers).toEqual([{ type: "target-ready", payload: { n: 0 } }]);
});

test("reports before the first acknowledgement are dropped if it says that there is no migration", async () => {
  const { client, socket, lines } = unconnected({});
  client.reportReady(0);
  client.abort("no");
  socket.acknowledge();
  expect(socket.answers).toEqual([]);
  expect(lines).toContain("job-7: reportReady dropped: its migration is not in progress any more");
  expect(lines).toContain("job-7: abort dropped: its migration is not in progress any more");
});

test("an abort before the first acknowledgement ends the migration for this instance", async () => {
  const calls: unknown[] = [];
  const { client, socket } = unconnected({ onInitialState: (payload) => void calls.push(payload) });
  client.abort("no camera");
  client.reportReady(0);
  socket.acknowledge("m-1");
  socket.fireFrame({ type: "initial-state", migrationId: "m-1", payload: 1 });
  await turn();
  expect(socket.answers).toEqual([{ type: "abort", reason: "no camera" }]);
  expect(calls).toEqual([]);
});

test("what waits for a migration that this instance is no longer the target of is dropped", async () => {
  const { client, socket, reconnect, lines } = connected({}, { target: "m-1" });
  socket.fireClose(1006);
  client.reportReady(1);
  expect((await reconnect()).answers).toEqual([]);
  expect(client.role).toBe("source");
  expect(lines.at(-1)).toBe("job-7: reportReady dropped: its migration is not in progress any more");
});

test("nothing is reported after the worker's abort", async () => {
  const { client, socket, lines } = connected({ onCutoverApply: () => {} }, { target: "m-1" });
  socket.fireFrame(CUTOVER_APPLY, ABORT);
  await turn();
  client.reportReady(1);
  client.reportApplied();
  client.abort("me too");
  expect(socket.answers).toEqual([]);
  expect(lines.slice(-3)).toEqual([
    "job-7: reportReady dropped: migration m-1 was ended by its worker",
    "job-7: reportApplied dropped: migration m-1 was ended by its worker",
    "job-7: abort dropped: migration m-1 was ended by its worker",
  ]);
});

test("reports out of turn are dropped with a log line and never throw", () => {
  const { client, socket, lines } = connected({ onGetState: () => new Promise(() => {}) });
  const before = lines.length;
  client.reportReady(1n);
  client.reportStoppedOutput(1n);
  client.reportApplied();
  client.abort("nothing to abort");
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" });
  client.reportReady(1);
  client.reportStoppedOutput(1);
  expect(socket.answers).toEqual([]);
  expect(lines.slice(before)).toEqual([
    "job-7: reportReady dropped: no migration is in progress",
    "job-7: reportStoppedOutput dropped: no migration is in progress",
    "job-7: reportApplied dropped: no migration is in progress",
    "job-7: abort dropped: no migration is in progress",
    "job-7: reportReady dropped: this instance is not a target",
    "job-7: reportStoppedOutput dropped: cutover-ready has not arrived",
  ]);
});

test("a payload that cannot be sent is an error that names the method, and nothing is sent", () => {
  const { client, socket } = connected({}, { target: "m-1" });
  const error = (payload: unknown): unknown => {
    try {
      client.reportReady(payload);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(error(1n)).toMatchObject({
    name: "MigrationClientError",
    code: "unserialisable-payload",
    message: expect.stringMatching(/^reportReady: /),
    cause: expect.any(TypeError),
  });
  expect(error("x".repeat(LIMITS.maxFrameBytes))).toMatchObject({
    code: "oversized-payload",
    message: expect.stringMatching(/^reportReady: .* 8388\d\d\d bytes/),
  });
  expect(socket.answers).toEqual([]);
  client.reportReady(1);
  expect(socket.answers).toEqual([{ type: "target-ready", payload: 1 }]);
});

test("a reason that is no text or endless is sent as a text of readable length", () => {
  const { client, socket } = connected({}, { target: "m-1" });
  client.abort("x".repeat(100_000));
  expect(socket.answers).toEqual([{ type: "abort", reason: `${"x".repeat(1_000)}…` }]);
});

test("after close everything is dropped with a log line", () => {
  const { client, socket, lines } = connected({}, { target: "m-1" });
  client.close();
  client.reportReady(1n);
  client.reportState(1);
  client.abort("over");
  expect(socket.answers).toEqual([]);
  expect(lines.slice(-3)).toEqual([
    "job-7: reportReady dropped: the client is closed",
    expect.stringMatching(/^job-7: reportState dropped: no get-state waits for an answer/),
    "job-7: abort dropped: the client is closed",
  ]);
});
