import { eventually } from "@changeover/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import {
  connectMigration,
  type MigrationClient,
  type MigrationHandlers,
  type WebSocketConstructor,
} from "../src/index.js";
import { scriptedWorker, type ScriptedWorker } from "./scripted-worker.js";

const SOURCE = { protocol: 2, worker: "scripted/1", epoch: 1, pingIntervalMs: 10_000 };
const TARGET = { ...SOURCE, migration: { id: "m-1" } };

function job(worker: ScriptedWorker, handlers: MigrationHandlers, Socket?: WebSocketConstructor): MigrationClient {
  const client = connectMigration(
    handlers,
    { NORSK_WORKER_WS_URL: worker.url, NORSK_WORKER_TOKEN: "s3cret" },
    { reconnectMinMs: 1, reconnectMaxMs: 5, WebSocket: Socket },
  );
  onTestFinished(() => client.close());
  return client;
}

test("fifty reconnects leave one open socket, and nothing that listens more than once", async () => {
  const sockets: WebSocket[] = [];
  class Recorded extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const listeners: number[] = [];
  const worker = await scriptedWorker({ acknowledge: () => SOURCE });
  let signal: AbortSignal | undefined;
  const client = job(
    worker,
    {
      onCutoverReady: (_payload, _id, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    },
    Recorded,
  );
  await client.ready;
  (await worker.connection(0)).send({ type: "cutover-ready", migrationId: "m-1", epoch: 2, payload: null });
  await eventually(() => expect(signal).toBeDefined());
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  for (let n = 0; n < 50; n += 1) {
    (await worker.connection(n)).cut();
    await (await worker.connection(n + 1)).frame("hello");
    await eventually(() => expect(client.connected).toBe(true));
    const [newest] = sockets.slice(-1);
    listeners.push(...["open", "message", "error", "close"].map((type) => newest?.listenerCount(type) ?? 0));
  }
  expect(sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED)).toHaveLength(1);
  expect(sockets).toHaveLength(51);
  expect(new Set(listeners)).toEqual(new Set([1]));
  expect(signal?.aborted).toBe(false);
  const after = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  expect(after - before).toBeLessThan(5);
});

test("reports survive connections that are cut at every moment: in order, none lost, none doubled, each with its migration", async () => {
  const reports = 40;
  const worker = await scriptedWorker({ acknowledge: () => TARGET });
  const client = job(worker, {});
  await client.ready;
  for (let n = 1; n <= reports; n += 1) {
    client.reportReady(n);
    // The worker has a report or not, has acknowledged it or not, and the client has heard of that or not.
    const connection = worker.connections.at(-1);
    const newest = connection?.frames.findLast((frame) => "seq" in frame);
    if (n % 3 === 0 && newest && "seq" in newest) connection?.send({ type: "report-ack", seq: newest.seq });
    if (n % 4 === 0) connection?.cut();
    if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, n % 7));
  }
  await eventually(() => expect(JSON.stringify(worker.connections.at(-1)?.frames)).toContain(`"seq":${reports}`));
  const taken = new Map<number, object>();
  for (const { frames } of worker.connections) {
    const numbered = frames.flatMap((frame) => ("seq" in frame ? [frame] : []));
    expect(numbered.map(({ seq }) => seq)).toEqual(numbered.map(({ seq }) => seq).toSorted((a, b) => a - b));
    for (const frame of numbered) {
      // A worker that takes each number once has each report once only if a number always stands for the same one.
      expect(taken.get(frame.seq) ?? frame).toEqual(frame);
      if (!taken.has(frame.seq)) taken.set(frame.seq, frame);
    }
  }
  expect([...taken.values()]).toEqual(
    Array.from({ length: reports }, (_, at) => ({
      type: "target-ready",
      migrationId: "m-1",
      seq: at + 1,
      payload: at + 1,
    })),
  );
});
