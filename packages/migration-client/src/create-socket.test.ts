import { expect, test } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { HELLO, turn, unconnected } from "../test/harness.js";

test("createSocket makes every socket, at once or by a promise", async () => {
  const made: FakeWebSocket[] = [];
  const createSocket = (url: string): FakeWebSocket | Promise<FakeWebSocket> => {
    const socket = new FakeWebSocket(url);
    made.push(socket);
    return made.length === 1 ? socket : Promise.resolve(socket);
  };
  const { client, clock } = unconnected({}, { createSocket });
  made[0]?.acknowledge();
  await expect(client.ready).resolves.toBe("source");
  made[0]?.fireClose(1006);
  await clock.advance(500);
  made[1]?.acknowledge();
  expect(client.connected).toBe(true);
  expect(made.map(({ frames }) => frames)).toEqual([[HELLO], [HELLO]]);
  expect(made[1]?.url).toBe("ws://user:pa55word@worker.test:4000/jobs?key=qu3ry");
});

test.each([
  [
    "throws",
    (url: string) => {
      throw new Error(`no proxy for ${url}`);
    },
    "no proxy for ws://worker.test:4000/jobs",
  ],
  [
    "rejects",
    (url: string) => Promise.reject(new Error(`no proxy for ${url}`)),
    "no proxy for ws://worker.test:4000/jobs",
  ],
  ["returns nothing", (): never => undefined as never, "createSocket returned undefined, which is no WebSocket"],
  ["promises nothing", () => Promise.resolve({} as never), "createSocket returned an object, which is no WebSocket"],
])("createSocket that %s is a failed attempt, and the next one follows", async (_, createSocket, why) => {
  let calls = 0;
  const { clock, lines } = unconnected(
    {},
    {
      createSocket: (url) => {
        calls += 1;
        return createSocket(url);
      },
    },
  );
  await turn();
  expect(lines.at(-1)).toBe(`job-7: ${why}: connecting again in 500 ms`);
  await clock.advance(500);
  expect(calls).toBe(2);
});

test("createSocket that takes too long is given up, and a socket that it still makes is closed", async () => {
  const late: ((socket: FakeWebSocket) => void)[] = [];
  const { client, clock, lines } = unconnected(
    {},
    { createSocket: () => new Promise<FakeWebSocket>((resolve) => late.push(resolve)) },
  );
  await clock.advance(10_000);
  expect(lines.at(-1)).toBe("job-7: no socket within 10000 ms: connecting again in 500 ms");
  const first = new FakeWebSocket("ws://worker.test/");
  late[0]?.(first);
  await turn();
  expect(first.closes).toEqual([undefined]);
  await clock.advance(500);
  await client.close();
  const second = new FakeWebSocket("ws://worker.test/");
  late[1]?.(second);
  await turn();
  second.fireError("closed before it was open");
  expect(second.closes).toEqual([undefined]);
  expect(clock.pending).toBe(0);
});
