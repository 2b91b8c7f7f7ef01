import assert from "node:assert/strict";
import { V2 } from "../acknowledgements.js";
import type { Case } from "../case.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 2, deadlineMs: 5_000 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 2, payload: 0 } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 2, reason: "enough" } as const;

export const frames: readonly Case[] = [
  {
    title: "a command that is repeated, on another connection too, is carried out once",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      const job = await stage.startAt(worker.url);
      await job.ready();
      const first = await worker.connection(0);
      for (const frame of [GET_STATE, GET_STATE, CUTOVER_READY, CUTOVER_READY]) first.send(frame);
      await first.frame("source-stopped-output");
      await first.isRead();
      first.cut();
      const second = await worker.connection(1);
      await second.frame("source-stopped-output");
      for (const frame of [CUTOVER_READY, ABORT, ABORT, { ...GET_STATE, migrationId: "m-2", epoch: 3 }]) {
        second.send(frame);
      }
      // Handlers run in order: what the job told before this call is all that there was.
      await job.called("onGetState", 2);
      assert.deepEqual(job.calls, ["onGetState", "onCutoverReady", "onAbort", "onGetState"]);
      assert.deepEqual(
        first.reports.map(({ type }) => type),
        ["state", "source-stopped-output"],
      );
    },
  },
  {
    title: "a binary frame is read as a text frame is",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      const job = await stage.startAt(worker.url);
      await job.ready();
      const connection = await worker.connection(0);
      connection.sendRaw(new TextEncoder().encode(JSON.stringify(GET_STATE)));
      assert.deepEqual(await connection.frame("state"), { type: "state", migrationId: "m-1", seq: 1, payload: 0 });
    },
  },
  {
    title: "what is no frame, or of an unknown type, is skipped with a line in the log",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      const job = await stage.startAt(worker.url);
      await job.ready();
      const connection = await worker.connection(0);
      const frames = ["{", '{"type":"later"}', '{"type":"later"}', '{"type":"get-state"}', new Uint8Array([0xff, 0])];
      for (const frame of frames) connection.sendRaw(frame);
      connection.send(GET_STATE);
      await connection.frame("state");
      // What a job tells comes by another way than its frames, in an order of its own.
      await job.called("onGetState");
      const skipped = job.eventsOf("log").filter(({ line }) => line.includes("a frame was skipped"));
      assert.equal(skipped.length, 4);
      await job.logged('unknown frame type "later"');
      assert.equal(worker.connections.length, 1);
    },
  },
];
