import { expect, test } from "vitest";
import { connected, TOKEN, unconnected } from "../test/harness.js";
import type { ConnectionEnd } from "./migration-client-options.js";

test("shouldReconnect is asked once for every end, and told what is known of it", async () => {
  const ends: ConnectionEnd[] = [];
  const { clock, sockets, socket } = unconnected({}, { shouldReconnect: (end) => ends.push(end) > 0 });
  socket.fireError(`cannot reach ${socket.url} with ${TOKEN}`);
  socket.fireError("again");
  socket.fireClose(1006);
  await clock.advance(500);
  sockets[1]?.fireClose(1012, "restarting");
  await clock.advance(1_000);
  sockets[2]?.fireClose(1006);
  await clock.advance(2_000);
  sockets[3]?.acknowledge();
  await clock.advance(30_000);
  sockets[3]?.fireClose(4401, "unknown token");
  expect(ends).toEqual([
    { code: undefined, reason: "cannot reach ws://worker.test:4000/jobs with [token]", attempt: 1 },
    { code: 1012, reason: 'closed with 1012 ("restarting")', attempt: 2 },
    { code: undefined, reason: "closed with 1006", attempt: 3 },
    { code: 4401, reason: expect.stringMatching(/^closed with 4401 \("unknown token"\)/), attempt: 1 },
  ]);
});

test("shouldReconnect that returns false closes the client for good", async () => {
  const signals: unknown[] = [];
  const { client, sockets, socket, clock, lines } = unconnected(
    {
      onCutoverReady: (_payload, _id, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => signals.push(signal.reason))),
    },
    { shouldReconnect: ({ code }) => code !== 4401 },
  );
  socket.fireOpen();
  socket.fireClose(4401, "unknown token");
  await expect(client.ready).rejects.toMatchObject({ code: "closed", message: "shouldReconnect returned false" });
  expect(lines.at(-2)).toMatch(/^job-7: closed with 4401 /);
  expect(lines.at(-1)).toBe("job-7: shouldReconnect returned false");
  await clock.advance(120_000);
  expect(sockets).toHaveLength(1);
  expect(clock.pending).toBe(0);
  await expect(client.close()).resolves.toBeUndefined();
});

test("a no after an acknowledged connection fires the signals of what runs", () => {
  const signals: unknown[] = [];
  const { socket, clock } = connected(
    {
      onCutoverReady: (_payload, _id, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => signals.push(signal.reason))),
    },
    { shouldReconnect: () => false },
  );
  socket.fireFrame({ type: "cutover-ready", migrationId: "m-1", payload: null });
  socket.fireClose(1012);
  expect(signals).toEqual([expect.objectContaining({ code: "closed" })]);
  expect(clock.pending).toBe(0);
});

test.each([
  ["throws", () => Reflect.get(Object(undefined), "code").length],
  ["returns nothing", () => undefined as never],
])("shouldReconnect that %s means yes", (_, shouldReconnect) => {
  const { socket, clock } = unconnected({}, { shouldReconnect });
  socket.fireClose(1006);
  expect(clock.delays).toEqual([500]);
});

test("an exception of shouldReconnect is logged without the token", () => {
  const { socket, lines } = unconnected(
    {},
    {
      shouldReconnect: () => {
        throw new Error(`no rule for ${TOKEN}`);
      },
    },
  );
  socket.fireClose(1006);
  expect(lines.at(-2)).toBe("job-7: shouldReconnect failed: no rule for [token]");
});

test("shouldReconnect is not asked when a newer connection took over, nor after close", async () => {
  let calls = 0;
  const shouldReconnect = (): boolean => (calls += 1) > 0;
  const superseded = connected({}, { shouldReconnect });
  superseded.socket.fireClose(4409);
  const closed = connected({}, { shouldReconnect });
  void closed.client.close();
  closed.socket.fireClose(1000);
  expect(calls).toBe(0);
});

test("a client that is closed by shouldReconnect itself makes no further attempt", async () => {
  const harness = unconnected(
    {},
    {
      shouldReconnect: () => {
        void harness.client.close();
        return true;
      },
    },
  );
  harness.socket.fireClose(1006);
  await harness.clock.advance(120_000);
  expect(harness.sockets).toHaveLength(1);
  expect(harness.clock.pending).toBe(0);
});
