import { expect, test } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { connected, HELLO, TOKEN, turn, unconnected } from "../test/harness.js";

test("the token travels in hello, as the first frame of every connection", async () => {
  const { sockets, socket, reconnect } = connected({});
  expect(socket.url).toBe("ws://user:pa55word@worker.test:4000/jobs?key=qu3ry");
  await reconnect();
  expect(sockets.map((each) => each.frames)).toEqual([[HELLO], [HELLO]]);
});

test("the acknowledgement says who this is: a source without, a target with a migration", async () => {
  const source = unconnected({}, { env: { NORSK_RUNTIME_ROLE: "target", NORSK_MIGRATION_ID: "m-1" } });
  expect(source.client).toMatchObject({ role: "target", migrationId: "m-1", connected: false });
  source.socket.fireOpen();
  expect(source.client.connected).toBe(false);
  source.socket.fireFrame({ type: "hello-ack" });
  expect(source.client).toMatchObject({ role: "source", migrationId: undefined, connected: true });
  await expect(source.client.ready).resolves.toBe("source");

  const target = unconnected({});
  expect(target.client).toMatchObject({ role: "source", migrationId: undefined });
  target.socket.acknowledge("m-2");
  expect(target.client).toMatchObject({ role: "target", migrationId: "m-2", connected: true });
  await expect(target.client.ready).resolves.toBe("target");
});

test("a target that is acknowledged without a migration after a reconnect is a source", async () => {
  const { client, reconnect } = connected({}, { target: "m-1" });
  await reconnect();
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
});

test("ready rejects with the code closed if the client is closed before, and is silent if nobody asks", async () => {
  const { client } = unconnected({});
  client.close();
  await turn();
  await expect(client.ready).rejects.toMatchObject({ name: "MigrationClientError", code: "closed" });
});

test("a lost connection is followed by another one after a random part of the bound, which doubles", async () => {
  const { sockets, socket, clock, client } = unconnected({});
  socket.fireClose(1006);
  for (const delay of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
    expect(clock.delays).toEqual([delay]);
    await clock.advance(delay);
    sockets.at(-1)?.fireError("connect ECONNREFUSED");
  }
  expect(client.connected).toBe(false);
  expect(sockets).toHaveLength(8);
});

test("one end of a socket, however it comes, makes one new connection, and late events of the old one change nothing", async () => {
  const { sockets, socket, clock, client } = connected({});
  socket.fireError("reset");
  socket.fireError("reset again");
  socket.fireClose(1006);
  expect(client.connected).toBe(false);
  expect(clock.delays).toEqual([500]);
  await clock.advance(500);
  sockets[1]?.acknowledge();
  socket.fireClose(4409, "superseded");
  socket.fireMessage(JSON.stringify({ type: "get-state", migrationId: "m-1" }));
  await turn();
  expect(client).toMatchObject({ connected: true, migrationId: undefined });
  expect(sockets).toHaveLength(2);
  expect(clock.pending).toBe(0);
});

test("a connection that opens and closes again and again backs off, also when it was acknowledged", async () => {
  const { sockets, clock } = connected({});
  const delays = [];
  for (let i = 0; i < 6; i += 1) {
    await clock.advance(29_000 / 6);
    sockets.at(-1)?.fireClose(1012);
    delays.push(clock.delays[0]);
    await clock.advance(clock.delays[0] ?? 0);
    sockets.at(-1)?.acknowledge();
  }
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000]);
});

test("a connection that stayed for reconnectMaxMs sets the delays back", async () => {
  const { sockets, socket, clock } = unconnected({});
  socket.fireClose(1006);
  await clock.advance(500);
  sockets[1]?.fireClose(1006);
  await clock.advance(1_000);
  sockets[2]?.acknowledge();
  await clock.advance(30_000);
  sockets[2]?.fireClose(1012);
  expect(clock.delays).toEqual([500]);
});

test("an open connection that is never acknowledged does not count as stable", async () => {
  const { sockets, socket, clock } = unconnected({}, { reconnectMaxMs: 8_000 });
  socket.fireOpen();
  await clock.advance(9_000);
  socket.fireClose(1006);
  await clock.advance(500);
  sockets[1]?.fireClose(1006);
  expect(clock.delays).toEqual([1_000]);
});

test.each([4400, 4401, 4429])("after close code %s it keeps trying at the slowest pace", async (code) => {
  const { sockets, socket, clock } = unconnected({}, { random: () => 0 });
  socket.fireOpen();
  socket.fireClose(code);
  expect(clock.delays).toEqual([15_000]);
  await clock.advance(15_000);
  expect(sockets).toHaveLength(2);
});

test("an unknown token is explained in the log, for it is nothing that the job can mend", () => {
  const { socket, lines } = unconnected({}, { random: () => 0 });
  socket.fireOpen();
  socket.fireClose(4401, "unknown token");
  expect(lines.at(-1)).toBe(
    'job-7: closed with 4401 ("unknown token"): was the worker restarted, or this instance replaced?: ' +
      "connecting again in 15000 ms",
  );
});

test("a superseded connection is the last one", async () => {
  const { client, sockets, socket, clock, lines } = unconnected({});
  socket.fireOpen();
  socket.fireClose(4409, "superseded");
  await clock.advance(120_000);
  expect(sockets).toHaveLength(1);
  expect(clock.pending).toBe(0);
  expect(lines.at(-2)).toMatch(/^job-7: closed with 4409 /);
  expect(lines.at(-1)).toBe("job-7: a newer connection of this instance took over");
  await expect(client.ready).rejects.toMatchObject({ code: "closed" });
});

test("a connection that does not open within 10 s is given up", async () => {
  const { sockets, socket, clock, lines } = unconnected({});
  await clock.advance(9_999);
  expect(socket.closes).toEqual([]);
  await clock.advance(1);
  expect(socket.closes).toEqual([undefined]);
  expect(lines.at(-1)).toMatch(/no connection within 10000 ms: connecting again/);
  await clock.advance(500);
  expect(sockets).toHaveLength(2);
});

test("a hello that is not acknowledged within 10 s is given up", async () => {
  const { sockets, socket, clock, lines } = unconnected({});
  await clock.advance(5_000);
  socket.fireOpen();
  await clock.advance(10_000);
  expect(lines.at(-1)).toMatch(/no hello-ack within 10000 ms: connecting again/);
  await clock.advance(500);
  expect(sockets).toHaveLength(2);
});

test("a constructor that throws is a failed attempt", async () => {
  let calls = 0;
  class Unwilling extends FakeWebSocket {
    constructor(url: string) {
      super(url);
      calls += 1;
      throw new Error(`cannot connect to ${url}`);
    }
  }
  const { clock, lines } = unconnected({}, { WebSocket: Unwilling });
  await clock.advance(500);
  expect(calls).toBe(2);
  expect(lines).toContain("job-7: cannot connect to ws://worker.test:4000/jobs: connecting again in 500 ms");
});

test("what is no frame is skipped with a log line, an unknown type with one line for all", async () => {
  const { client, socket, lines } = connected({ onGetState: () => 1 });
  const before = lines.length;
  for (const text of ["{", "[]", "{}", '{"type":"later"}', '{"type":"later"}', '{"type":"get-state"}']) {
    socket.fireMessage(text);
  }
  socket.fireMessage(new Blob(["x"]));
  expect(lines.slice(before)).toEqual([
    "job-7: a frame was skipped: the frame is not JSON",
    'job-7: a frame was skipped: the frame is not a JSON object with a string "type"',
    'job-7: a frame was skipped: the frame is not a JSON object with a string "type"',
    'job-7: a frame was skipped: unknown frame type "later"',
    expect.stringMatching(/a frame was skipped: get-state: "migrationId"/),
    expect.stringMatching(/a frame was skipped: it is no text/),
  ]);
  socket.fireMessage(new TextEncoder().encode('{"type":"get-state","migrationId":"m-1"}').buffer);
  await turn();
  expect(socket.answers).toEqual([{ type: "state", payload: 1 }]);
  expect(client.connected).toBe(true);
});

test("commands before the acknowledgement and a second acknowledgement are skipped", async () => {
  const { client, socket } = unconnected({ onGetState: () => 1 });
  socket.fireOpen();
  socket.fireFrame({ type: "get-state", migrationId: "m-1" });
  socket.fireFrame({ type: "hello-ack" }, { type: "hello-ack", migration: { id: "m-2" } });
  await turn();
  expect(client.role).toBe("source");
  expect(socket.answers).toEqual([]);
});

test("close ends the connection with 1000, once, and leaves no timer", async () => {
  const { client, socket, sockets, clock } = connected({});
  client.close();
  client.close();
  socket.fireClose(1000);
  await clock.advance(120_000);
  expect(socket.closes).toEqual([1000]);
  expect(client.connected).toBe(false);
  expect(sockets).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test.each(["connecting", "waiting for hello-ack", "waiting for the next attempt"])(
  "close while %s leaves no timer and makes no further connection",
  async (state) => {
    const { client, socket, sockets, clock } = unconnected({});
    if (state === "waiting for hello-ack") socket.fireOpen();
    if (state === "waiting for the next attempt") socket.fireClose(1006);
    expect(clock.pending).toBe(1);
    client.close();
    socket.fireError("closed before the connection was established");
    socket.fireOpen();
    expect(clock.pending).toBe(0);
    await clock.advance(120_000);
    expect(sockets).toHaveLength(1);
    expect(socket.frames.length).toBeLessThanOrEqual(1);
  },
);

test("no log line shows the token, the user info or the query, whatever the worker and the handlers say", async () => {
  const secrets = /s3cret-t0ken|pa55word|qu3ry/;
  const { client, socket, lines, sockets, clock } = connected({
    onGetState: () => {
      throw new Error(`no state for ${TOKEN}`);
    },
  });
  socket.fireMessage(`{"type":"${TOKEN}"}`);
  socket.fireFrame({ type: "get-state", migrationId: "m-1" });
  await turn();
  socket.fireFrame({ type: "abort", migrationId: "m-1", reason: `because of ${TOKEN}` });
  await turn();
  expect(JSON.stringify(socket.answers)).not.toMatch(secrets);
  socket.fireClose(4401, `unknown token ${TOKEN}`);
  await clock.advance(30_000);
  sockets.at(-1)?.fireError(`failed: ${socket.url}`);
  client.close();
  expect(lines.length).toBeGreaterThan(7);
  expect(lines.filter((line) => secrets.test(line))).toEqual([]);
});

test("log lines start with the given name, else the job's id, and a log that throws harms nobody", () => {
  const named = connected({}, { name: "encoder" });
  expect(named.lines.at(-1)).toBe("encoder: connected as source");
  const { client } = connected(
    {},
    {
      log: () => {
        throw new Error("the disk is full");
      },
    },
  );
  expect(client.connected).toBe(true);
});
