import assert from "node:assert/strict";
import { TARGET_V1, V1 } from "../acknowledgements.js";
import type { Case } from "../case.js";

export const version1: readonly Case[] = [
  {
    title: "version 1: a source and a target hand over",
    async run(stage) {
      const worker = await stage.scripted((_nth, token) => (token === "fr3sh" ? TARGET_V1 : V1));
      const source = await stage.startAt(worker.url);
      assert.equal(await source.ready(), "source");
      const target = await stage.startAt(worker.url, {}, "fr3sh");
      assert.equal(await target.ready(), "target");
      const [first, second] = [await worker.connection(0), await worker.connection(1)];
      first.send({ type: "get-state", migrationId: "m-1" });
      assert.deepEqual(await first.frame("state"), { type: "state", payload: 0 });
      second.send({ type: "initial-state", migrationId: "m-1", payload: 7 });
      assert.deepEqual(await second.frame("target-ready"), { type: "target-ready", payload: 7 });
      first.send({ type: "cutover-ready", migrationId: "m-1", payload: 7 });
      assert.deepEqual(await first.frame("source-stopped-output"), { type: "source-stopped-output", payload: 0 });
      second.send({ type: "cutover-apply", migrationId: "m-1", payload: 9 });
      assert.deepEqual(await second.frame("target-applied"), { type: "target-applied" });
      // The target is the next source.
      second.send({ type: "get-state", migrationId: "m-2" });
      assert.deepEqual(await second.frame("state"), { type: "state", payload: 9 });
    },
  },
  {
    title: "version 1: a job that is asked again after a cut answers again, and resumes after an abort",
    async run(stage) {
      const worker = await stage.scripted(() => V1);
      const job = await stage.startAt(worker.url);
      await job.ready();
      const first = await worker.connection(0);
      first.send({ type: "get-state", migrationId: "m-1" });
      await first.frame("state");
      first.cut();
      const second = await worker.connection(1);
      await second.frame("hello");
      second.send({ type: "get-state", migrationId: "m-1" });
      await second.frame("state");
      second.send({ type: "cutover-ready", migrationId: "m-1", payload: 0 });
      await second.frame("source-stopped-output");
      second.send({ type: "abort", migrationId: "m-1", reason: "enough" });
      await job.called("onAbort");
      assert.deepEqual(job.calls, ["onGetState", "onGetState", "onCutoverReady", "onAbort"]);
    },
  },
];
