import type { HelloAckFrame } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { connectMigration, type MigrationClient, type MigrationHandlers } from "../src/index.js";
import { scriptedWorker, type JobConnection } from "./scripted-worker.js";

const V2 = { protocol: 2, worker: "scripted/1", epoch: 1, limits: { maxFrameBytes: 1 << 23 }, pingIntervalMs: 10_000 };
const TARGET = { ...V2, migration: { id: "m-1" } };
const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 2, deadlineMs: 5_000 } as const;

interface Job {
  readonly client: MigrationClient;
  readonly lines: string[];
}

function job(url: string, handlers: MigrationHandlers = {}, Socket?: typeof WebSocket): Job {
  const lines: string[] = [];
  const client = connectMigration(
    handlers,
    { NORSK_WORKER_WS_URL: url, NORSK_WORKER_TOKEN: "s3cret" },
    { reconnectMinMs: 5, reconnectMaxMs: 50, log: (line) => lines.push(line), WebSocket: Socket },
  );
  onTestFinished(() => client.close());
  return { client, lines };
}

const always = (ack: Omit<HelloAckFrame, "type">) => (): Omit<HelloAckFrame, "type"> => ack;
const reports = ({ frames }: JobConnection): object[] => frames.filter(({ type }) => type !== "hello");

test("hello names the client and its session: one of its own for every client, the same on every connection", async () => {
  const worker = await scriptedWorker({ acknowledge: always(V2) });
  await job(worker.url).client.ready;
  await job(worker.url).client.ready;
  worker.connections[0]?.cut();
  await worker.connection(2);
  const hellos = await Promise.all([0, 1, 2].map(async (n) => (await worker.connection(n)).frame("hello")));
  for (const hello of hellos) {
    expect(hello).toMatchObject({
      protocol: 2,
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      client: expect.stringMatching(/^@changeover\/migration-client\/\d/),
    });
  }
  const [first, second, third] = hellos.map(({ session }) => session);
  expect(first).not.toBe(second);
  expect(third).toBe(first);
});

test("a report that was written to a dying socket arrives exactly once after the reconnect", async () => {
  const worker = await scriptedWorker({ acknowledge: always(TARGET) });
  const { client } = job(worker.url);
  await client.ready;
  const first = await worker.connection(0);
  first.freeze();
  client.reportReady(1);
  first.cut();
  const second = await worker.connection(1);
  const { seq } = { seq: 0, ...(await second.frame("target-ready")) };
  second.send({ type: "report-ack", seq });
  second.send({ type: "ping" });
  await second.frame("pong");
  second.cut();
  const third = await worker.connection(2);
  await third.frame("hello");
  third.send({ type: "ping" });
  await third.frame("pong");
  const arrived = worker.connections.flatMap(reports).filter((frame) => "seq" in frame);
  expect(arrived).toEqual([{ type: "target-ready", migrationId: "m-1", seq: 1, payload: 1 }]);
});

test("a report whose acknowledgement was lost is sent again under its number", async () => {
  const worker = await scriptedWorker({ acknowledge: always(TARGET) });
  const { client } = job(worker.url);
  await client.ready;
  client.reportReady(1);
  const first = await worker.connection(0);
  const report = await first.frame("target-ready");
  first.cut();
  const second = await worker.connection(1);
  await expect(second.frame("target-ready")).resolves.toEqual(report);
});

test("a reconnect while onGetState runs does not disturb it, and the answer goes out on the new connection", async () => {
  const worker = await scriptedWorker({ acknowledge: always(V2) });
  let calls = 0;
  let finish: (value: string) => void = () => {};
  const { client } = job(worker.url, {
    onGetState: () => {
      calls += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  await client.ready;
  const first = await worker.connection(0);
  first.send(GET_STATE);
  await eventually(() => expect(calls).toBe(1));
  first.cut();
  const second = await worker.connection(1);
  await second.frame("hello");
  second.send(GET_STATE);
  second.send({ type: "ping" });
  await second.frame("pong");
  finish("the state");
  await expect(second.frame("state")).resolves.toEqual({
    type: "state",
    migrationId: "m-1",
    seq: 1,
    payload: "the state",
  });
  expect(calls).toBe(1);
});

test.each([
  ["ws", WebSocket],
  ["the global WebSocket", undefined],
])("a half-open worker is noticed within two intervals, with %s", async (_, Socket) => {
  const worker = await scriptedWorker({ acknowledge: always({ ...V2, pingIntervalMs: 100 }) });
  const { client, lines } = job(worker.url, {}, Socket);
  await client.ready;
  const first = await worker.connection(0);
  first.freeze();
  await worker.connection(1);
  expect(lines.join("\n")).toContain("no sign of life from the worker within 200 ms");
  await eventually(() => expect(client.connected).toBe(true));
});

test("a worker that answers pings keeps its connection", async () => {
  const worker = await scriptedWorker({ acknowledge: always({ ...V2, pingIntervalMs: 250 }) });
  const { client } = job(worker.url);
  await client.ready;
  const first = await worker.connection(0);
  let answered = 0;
  await eventually(() => {
    const pings = first.frames.filter(({ type }) => type === "ping").length;
    for (; answered < pings; answered += 1) first.send({ type: "pong" });
    expect(answered).toBeGreaterThan(2);
  });
  expect(worker.connections).toHaveLength(1);
  expect(client.connected).toBe(true);
});

test("both sides hear of the commit, and the target is a source from then on", async () => {
  const worker = await scriptedWorker({ acknowledge: always(TARGET) });
  const calls: unknown[] = [];
  const { client } = job(worker.url, {
    onCutoverApply: () => client.reportApplied(),
    onCommitted: (id, { epoch }) => void calls.push([id, epoch, client.role]),
  });
  await expect(client.ready).resolves.toBe("target");
  const connection = await worker.connection(0);
  connection.send({ type: "cutover-apply", migrationId: "m-1", epoch: 2, payload: null });
  await connection.frame("target-applied");
  connection.send({ type: "report-ack", seq: 1 });
  connection.send({ type: "committed", migrationId: "m-1", epoch: 2 });
  connection.send({ type: "committed", migrationId: "m-1", epoch: 2 });
  connection.send({ type: "ping" });
  await connection.frame("pong");
  expect(calls).toEqual([["m-1", 2, "source"]]);
});

test("a worker that comes back with version 1 gets what was not acknowledged, and one of version 2 again nothing twice", async () => {
  const acks = [TARGET, { migration: { id: "m-1" } }, TARGET];
  const worker = await scriptedWorker({ acknowledge: (_token, nth) => acks[nth] ?? TARGET });
  const { client } = job(worker.url);
  await client.ready;
  client.reportReady(1);
  const first = await worker.connection(0);
  await first.frame("target-ready");
  first.close(1012);
  const second = await worker.connection(1);
  await expect(second.frame("target-ready")).resolves.toEqual({ type: "target-ready", payload: 1 });
  second.close(1012);
  const third = await worker.connection(2);
  await third.frame("hello");
  await eventually(() => expect(client.connected).toBe(true));
  client.abort("enough");
  await expect(third.frame("abort")).resolves.toMatchObject({ migrationId: "m-1" });
  expect(reports(third)).toHaveLength(1);
});
