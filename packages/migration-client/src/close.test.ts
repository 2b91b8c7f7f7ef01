import { expect, test } from "vitest";
import { connected, connectedV2, turn, unconnected } from "../test/harness.js";
import { connectMigration } from "./connect-migration.js";

/** Whether a promise has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  await turn();
  return isSettled;
}

test("close returns one promise, which resolves when the socket has ended", async () => {
  const { client, socket, clock } = connected({});
  const closed = client.close();
  expect(client.close()).toBe(closed);
  expect(socket.closes).toEqual([1000]);
  await expect(hasSettled(closed)).resolves.toBe(false);
  socket.fireClose(1000);
  await closed;
  expect(clock.pending).toBe(0);
});

test("a worker that does not answer the close is waited for no longer than a second", async () => {
  const { client, socket, clock } = connected({});
  let terminated = 0;
  Object.assign(socket, { terminate: () => (terminated += 1) });
  const closed = client.close();
  await clock.advance(999);
  await expect(hasSettled(closed)).resolves.toBe(false);
  await clock.advance(1);
  await closed;
  expect(terminated).toBe(1);
  expect(clock.pending).toBe(0);
});

test("the last reports are given their acknowledgements, and then the connection is closed", async () => {
  const { client, socket, clock } = connectedV2({}, { target: "m-1" });
  client.reportReady(1);
  client.abort("enough");
  const closed = client.close();
  expect(client.connected).toBe(false);
  socket.fireFrame({ type: "report-ack", seq: 1 }, { type: "ping" });
  expect(socket.closes).toEqual([]);
  socket.fireFrame({ type: "report-ack", seq: 2 });
  expect(socket.closes).toEqual([1000]);
  expect(socket.answersV2.map(({ type }) => type)).toEqual(["target-ready", "abort", "pong"]);
  socket.fireClose(1000);
  await closed;
  expect(clock.pending).toBe(0);
});

test("reports that are not acknowledged within a second are given up, and named", async () => {
  const { client, socket, clock, lines } = connectedV2({}, { target: "m-1" });
  client.reportReady(1);
  client.abort("enough");
  const closed = client.close();
  await clock.advance(999);
  expect(socket.closes).toEqual([]);
  await clock.advance(1);
  expect(socket.closes).toEqual([1000]);
  expect(lines.at(-1)).toBe("job-7: closed before the worker had acknowledged reportReady, abort");
  socket.fireClose(1000);
  await closed;
  expect(clock.pending).toBe(0);
});

test("a connection that is lost while the last reports wait is the last one", async () => {
  const { client, socket, sockets, clock, lines } = connectedV2({}, { target: "m-1" });
  client.reportReady(1);
  const closed = client.close();
  socket.fireClose(1012);
  await closed;
  expect(lines.slice(-2)).toEqual([
    "job-7: closed with 1012",
    "job-7: closed before the worker had acknowledged reportReady",
  ]);
  await clock.advance(120_000);
  expect(sockets).toHaveLength(1);
});

test("a client that is between two connections does not wait with its reports for the next one", async () => {
  const { client, socket, clock, lines } = connectedV2({}, { target: "m-1" });
  client.reportReady(1);
  socket.fireClose(1012);
  await client.close();
  expect(lines.at(-1)).toBe("job-7: closed before the worker had acknowledged reportReady");
  expect(clock.pending).toBe(0);
});

test("a superseded client with reports that nobody has acknowledged ends at once", async () => {
  const { client, socket, clock } = connectedV2({}, { target: "m-1" });
  client.reportReady(1);
  socket.fireClose(4409);
  await client.close();
  expect(client.connected).toBe(false);
  expect(clock.pending).toBe(0);
});

test("while the last reports wait no handler runs, and what is reported is dropped", async () => {
  const calls: string[] = [];
  const { client, socket, lines } = connectedV2(
    {
      onInitialState: (_payload, _id, { signal }) => {
        calls.push("onInitialState");
        client.reportReady(1);
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            calls.push(String(signal.reason.code));
            resolve(undefined);
          }),
        );
      },
      onCutoverApply: () => void calls.push("onCutoverApply"),
      onAbort: () => void calls.push("onAbort"),
    },
    { target: "m-1" },
  );
  socket.fireFrame(
    { type: "initial-state", migrationId: "m-1", epoch: 2, payload: 1 },
    { type: "cutover-apply", migrationId: "m-1", epoch: 2, payload: null },
  );
  await turn();
  void client.close();
  expect(calls).toEqual(["onInitialState", "closed"]);
  socket.fireFrame({ type: "abort", migrationId: "m-1", epoch: 2, reason: "over" });
  client.reportApplied();
  await turn();
  expect(calls).toEqual(["onInitialState", "closed"]);
  expect(socket.closes).toEqual([]);
  expect(lines.at(-1)).toBe("job-7: reportApplied dropped: the client is closed");
});

test("a worker of version 1 never says that a report has arrived, and is not waited for", () => {
  const { client, socket } = connected({}, { target: "m-1" });
  client.reportReady(1);
  void client.close();
  expect(socket.closes).toEqual([1000]);
});

test("close resolves while nothing is connected, and where there is no worker", async () => {
  const { client, socket } = unconnected({});
  socket.fireClose(1006);
  await expect(client.close()).resolves.toBeUndefined();
  await expect(connectMigration({}, {}).close()).resolves.toBeUndefined();
});
