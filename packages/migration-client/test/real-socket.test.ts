import { LIMITS } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connectMigration } from "../src/index.js";
import type { MigrationClient, MigrationClientOptions, MigrationHandlers } from "../src/index.js";
import { scriptedWorker } from "./scripted-worker.js";

const TOKEN = "s3cret-t0ken";

interface Job {
  readonly client: MigrationClient;
  readonly lines: string[];
}

function job(url: string, handlers: MigrationHandlers = {}, options: MigrationClientOptions = {}): Job {
  const lines: string[] = [];
  const client = connectMigration(
    handlers,
    { NORSK_WORKER_WS_URL: url, NORSK_WORKER_TOKEN: TOKEN, NORSK_RUNTIME_ID: "job-7" },
    { reconnectMinMs: 5, reconnectMaxMs: 50, log: (line) => lines.push(line), ...options },
  );
  onTestFinished(() => client.close());
  return { client, lines };
}

const isSource = (): object => ({});
const isTarget = (): object => ({ migration: { id: "m-1" } });

test("a source and a target hand over", async () => {
  const worker = await scriptedWorker({ acknowledge: (token) => (token === "fresh" ? isTarget() : isSource()) });
  const source = job(worker.url, {
    onGetState: () => ({ n: 1 }),
    onCutoverReady: (ready) => source.client.reportStoppedOutput({ after: ready }),
  });
  await expect(source.client.ready).resolves.toBe("source");
  const target = connectMigration(
    {
      onInitialState: (state) => target.reportReady({ from: state }),
      onCutoverApply: () => target.reportApplied(),
    },
    { NORSK_WORKER_WS_URL: worker.url, NORSK_WORKER_TOKEN: "fresh", NORSK_RUNTIME_ROLE: "target" },
  );
  onTestFinished(() => target.close());
  await expect(target.ready).resolves.toBe("target");

  const [first, second] = [await worker.connection(0), await worker.connection(1)];
  first.send({ type: "get-state", migrationId: "m-1" });
  const { payload: state } = await first.frame("state");
  second.send({ type: "initial-state", migrationId: "m-1", payload: state });
  const { payload: ready } = await second.frame("target-ready");
  first.send({ type: "cutover-ready", migrationId: "m-1", payload: ready });
  const { payload: stopped } = await first.frame("source-stopped-output");
  second.send({ type: "cutover-apply", migrationId: "m-1", payload: stopped });
  await second.frame("target-applied");
  expect(stopped).toEqual({ after: { from: { n: 1 } } });

  source.client.close();
  target.close();
  await eventually(() => expect([first.end?.code, second.end?.code]).toEqual([1000, 1000]));
});

test("a job that starts before its worker finds it when it comes", async () => {
  const first = await scriptedWorker();
  await first.stop();
  const { client, lines } = job(first.url);
  await eventually(() => expect(lines.filter((line) => line.includes("ECONNREFUSED")).length).toBeGreaterThan(2));
  await scriptedWorker({ port: first.port, acknowledge: isSource });
  await expect(client.ready).resolves.toBe("source");
});

test("a job comes back when its worker restarts or the network cuts it off, and nothing it reported is lost", async () => {
  const worker = await scriptedWorker();
  const { client } = job(worker.url);
  const acknowledge = { type: "hello-ack", migration: { id: "m-1" } } as const;
  const first = await worker.connection(0);
  await first.frame("hello");
  first.send(acknowledge);
  await client.ready;
  first.close(1012, "restarting");
  const second = await worker.connection(1);
  await second.frame("hello");
  expect(client.connected).toBe(false);
  client.reportReady(1);
  second.send(acknowledge);
  await expect(second.frame("target-ready")).resolves.toEqual({ type: "target-ready", payload: 1 });
  second.cut();
  const third = await worker.connection(2);
  await third.frame("hello");
  third.send(acknowledge);
  await eventually(() => expect(client.connected).toBe(true));
  client.abort("enough");
  await third.frame("abort");
  expect(third.frames.map((frame) => frame.type)).toEqual(["hello", "abort"]);
});

test("a superseded job does not come back", async () => {
  const worker = await scriptedWorker({ acknowledge: isSource });
  const { client, lines } = job(worker.url);
  await client.ready;
  (await worker.connection(0)).close(4409, "superseded");
  await eventually(() => expect(lines.at(-2)).toMatch(/closed with 4409/));
  await expect(worker.connection(0)).resolves.toMatchObject({ end: { code: 4409 } });
  expect(client.connected).toBe(false);
  expect(worker.connections).toHaveLength(1);
});

test("an unknown token is tried again, and shows in no log line", async () => {
  const worker = await scriptedWorker();
  const { client, lines } = job(worker.url);
  const first = await worker.connection(0);
  await first.frame("hello");
  first.close(4401, `unknown token ${TOKEN}`);
  const second = await worker.connection(1);
  await expect(second.frame("hello")).resolves.toMatchObject({ type: "hello", token: TOKEN });
  expect(client.connected).toBe(false);
  expect(lines.join("\n")).toMatch(/closed with 4401/);
  expect(lines.join("\n")).not.toContain(TOKEN);
});

test("close while the connection is being made ends it without a word", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await eventually(() => expect(silent.listening).toBe(true));
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const { client } = job(`ws://127.0.0.1:${address.port}/`);
  await eventually(() => expect(sockets).toHaveLength(1));
  const gone = new Promise((resolve) => sockets[0]?.once("close", resolve).resume());
  client.close();
  await gone;
  await expect(client.ready).rejects.toMatchObject({ code: "closed" });
});

test("close before the socket could be made makes none", async () => {
  const worker = await scriptedWorker({ acknowledge: isSource });
  job(worker.url).client.close();
  await job(worker.url).client.ready;
  expect(worker.connections).toHaveLength(1);
});

test("the largest state that a worker takes arrives whole, a larger one is refused in words", async () => {
  const worker = await scriptedWorker({ acknowledge: isSource });
  const envelope = '{"type":"state","payload":""}'.length;
  const state = "x".repeat(LIMITS.maxFrameBytes - envelope);
  const { client } = job(worker.url, { onGetState: (id) => (id === "m-1" ? state : `${state}x`) });
  await client.ready;
  const connection = await worker.connection(0);
  connection.send({ type: "get-state", migrationId: "m-1" });
  expect((await connection.frame("state")).payload === state).toBe(true);
  connection.send({ type: "get-state", migrationId: "m-2" });
  expect((await connection.frame("state-refused")).reason).toMatch(/8388609 bytes, and a worker takes 8388608/);
});

test("frames that arrive together are carried out in order, and an abort among them pre-empts", async () => {
  const worker = await scriptedWorker({ acknowledge: isTarget });
  const calls: string[] = [];
  const { client } = job(worker.url, {
    onInitialState: (_payload, _id, { signal }) =>
      new Promise<void>((resolve) => {
        calls.push("onInitialState");
        signal.addEventListener("abort", () => resolve());
      }),
    onCutoverApply: () => void calls.push("onCutoverApply"),
    onAbort: () => void calls.push("onAbort"),
  });
  await client.ready;
  const connection = await worker.connection(0);
  connection.send({ type: "initial-state", migrationId: "m-1", payload: null });
  connection.send({ type: "cutover-apply", migrationId: "m-1", payload: null });
  connection.send({ type: "abort", migrationId: "m-1", reason: "the source died" });
  await eventually(() => expect(calls).toEqual(["onInitialState", "onAbort"]));
});
