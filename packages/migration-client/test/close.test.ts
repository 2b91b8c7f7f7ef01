import { expect, test } from "vitest";
import { connectMigration } from "../src/index.js";
import { scriptedWorker } from "./scripted-worker.js";

const TARGET = { protocol: 2, worker: "scripted/1", epoch: 1, pingIntervalMs: 10_000, migration: { id: "m-1" } };

async function target(acknowledge: () => object = () => TARGET) {
  const worker = await scriptedWorker({ acknowledge });
  const client = connectMigration({}, { NORSK_WORKER_WS_URL: worker.url, NORSK_WORKER_TOKEN: "t" });
  await client.ready;
  return { client, connection: await worker.connection(0) };
}

test("a report that is made just before close arrives, is acknowledged, and only then the connection ends", async () => {
  const { client, connection } = await target();
  client.reportReady(1);
  const closed = client.close();
  await expect(connection.frame("target-ready")).resolves.toMatchObject({ payload: 1 });
  expect(connection.end).toBeUndefined();
  connection.send({ type: "report-ack", seq: 1 });
  await closed;
  expect(connection.end).toMatchObject({ code: 1000 });
});

test("a worker that has frozen holds a close up for a second, and with unacknowledged reports for two", async () => {
  const [idle, busy] = await Promise.all([target(), target()]);
  idle.connection.freeze();
  busy.connection.freeze();
  busy.client.reportReady(1);
  const startedAt = performance.now();
  const tookMs = (): number => performance.now() - startedAt;
  const took = await Promise.all([idle.client.close().then(tookMs), busy.client.close().then(tookMs)]);
  expect(took[0]).toBeLessThan(1_800);
  expect(took[1]).toBeLessThan(2_800);
});
