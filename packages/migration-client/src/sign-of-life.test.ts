import { expect, test } from "vitest";
import { connected, connectedV2, unconnected } from "../test/harness.js";

const PING = { type: "ping" } as const;
const PONG = { type: "pong" } as const;

test("a ping is answered at once, and both are signs of life", async () => {
  const { socket, clock, client } = connectedV2({});
  await clock.advance(9_000);
  socket.fireFrame(PING);
  expect(socket.answersV2).toEqual([PONG]);
  await clock.advance(9_999);
  expect(socket.answersV2).toEqual([PONG]);
  await clock.advance(1);
  expect(socket.answersV2).toEqual([PONG, PING]);
  socket.fireFrame(PONG);
  await clock.advance(9_999);
  expect(socket.answersV2).toHaveLength(2);
  expect(client.connected).toBe(true);
});

test.each([
  ["a command", JSON.stringify({ type: "initial-state", migrationId: "m-1", epoch: 2, payload: 1 })],
  ["a frame of an unknown type", '{"type":"later"}'],
  ["what is no frame", "{"],
  ["what cannot be read", new Blob(["x"])],
])("%s is a sign of life", async (_, data) => {
  const { socket, clock } = connectedV2({}, { target: "m-1" });
  await clock.advance(9_999);
  socket.fireMessage(data);
  await clock.advance(9_999);
  expect(socket.answersV2).toEqual([]);
});

test("a worker that says nothing for two intervals is given up, and another connection is made", async () => {
  const { client, sockets, socket, clock, lines } = connectedV2({});
  await clock.advance(19_999);
  expect(socket.answersV2).toEqual([PING]);
  expect(client.connected).toBe(true);
  await clock.advance(1);
  expect(client.connected).toBe(false);
  expect(socket.closes).toEqual([undefined]);
  expect(lines.at(-1)).toBe("job-7: no sign of life from the worker within 20000 ms: connecting again in 500 ms");
  expect(clock.delays).toEqual([500]);
  await clock.advance(500);
  expect(sockets).toHaveLength(2);
});

test("the interval is the worker's, and the protocol's where it says none that can be", async () => {
  const quick = connectedV2({});
  quick.socket.fireClose(1012);
  await quick.clock.advance(500);
  quick.socket.acknowledgeV2(undefined, { pingIntervalMs: 70 });
  expect(quick.clock.delays).toEqual([70]);
  const endless = connectedV2({});
  endless.socket.fireClose(1012);
  await endless.clock.advance(500);
  endless.socket.acknowledgeV2(undefined, { pingIntervalMs: 1e12 });
  expect(endless.clock.delays).toEqual([2 ** 31 - 1]);
  for (const ack of [{ protocol: 2 }, { protocol: 2, pingIntervalMs: 0 }, { protocol: 2, pingIntervalMs: -1 }]) {
    const { socket, clock } = unconnected({});
    socket.fireOpen();
    socket.fireFrame({ type: "hello-ack", ...ack });
    expect(clock.delays).toEqual([10_000]);
  }
});

test("there is one timer however much is heard, and none after the end", async () => {
  const { client, socket, clock, lose } = connectedV2({});
  for (let i = 0; i < 5; i += 1) socket.fireFrame(PING);
  expect(clock.pending).toBe(1);
  const next = await lose();
  next.acknowledgeV2();
  expect(clock.pending).toBe(1);
  client.close();
  next.fireClose(1000);
  expect(clock.pending).toBe(0);
  await clock.advance(60_000);
  expect(next.answersV2).toEqual([]);
});

test("a ping that cannot be written ends the connection, and leaves the timer of the next attempt only", async () => {
  const { client, socket, clock } = connectedV2({});
  socket.sendError = new Error("not open");
  await clock.advance(10_000);
  expect(client.connected).toBe(false);
  expect(clock.delays).toEqual([500]);
});

test("after a sleep what has arrived meanwhile is read before the worker is given up", async () => {
  const { client, socket, clock } = connectedV2({});
  await clock.advance(10_000);
  expect(socket.answersV2).toEqual([PING]);
  // The machine sleeps: the timer is an hour late.
  clock.sleep(3_600_000);
  await clock.advance(10_000);
  expect(client.connected).toBe(true);
  socket.fireFrame(PONG);
  await clock.advance(9_999);
  expect(client.connected).toBe(true);
  expect(socket.answersV2).toEqual([PING]);
});

test("after a sleep a worker that is gone is given up an interval later", async () => {
  const { client, clock } = connectedV2({});
  await clock.advance(10_000);
  clock.sleep(3_600_000);
  await clock.advance(19_999);
  expect(client.connected).toBe(true);
  await clock.advance(1);
  expect(client.connected).toBe(false);
});

test("a worker of version 1 may be silent, is sent no ping, and its ping is skipped", async () => {
  const { client, socket, clock, lines } = connected({});
  socket.fireFrame(PING);
  await clock.advance(3_600_000);
  expect(client.connected).toBe(true);
  expect(socket.answers).toEqual([]);
  expect(clock.pending).toBe(0);
  expect(lines.at(-1)).toBe('job-7: a frame was skipped: unknown frame type "ping"');
});
