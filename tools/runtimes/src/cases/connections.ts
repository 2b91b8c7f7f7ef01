import assert from "node:assert/strict";
import { CLOSE_CODE } from "@changeover/migration-protocol";
import { TARGET_V2, V2 } from "../acknowledgements.js";
import type { Case } from "../case.js";

const REPORT = { type: "target-ready", migrationId: "m-1", seq: 1, payload: "x" };

export const connections: readonly Case[] = [
  {
    title: "after a cut an unacknowledged report is sent again, an acknowledged one is not",
    async run(stage) {
      const worker = await stage.scripted(() => TARGET_V2);
      const job = await stage.startAt(worker.url, { readyChars: 1 });
      const first = await worker.connection(0);
      assert.deepEqual(await first.frame("target-ready"), REPORT);
      first.cut();
      const second = await worker.connection(1);
      assert.deepEqual(await second.frame("target-ready"), REPORT);
      second.send({ type: "report-ack", seq: 1 });
      await second.isRead();
      second.cut();
      const third = await worker.connection(2);
      await third.frame("hello");
      await third.isRead();
      assert.deepEqual(third.reports, []);
      const hellos = await Promise.all([first, second, third].map((connection) => connection.frame("hello")));
      assert.equal(new Set(hellos.map(({ session }) => session)).size, 1);
      assert.match(hellos[0]?.session ?? "", /^[0-9a-f]{32}$/);
      assert.equal(await job.ready(), "target");
    },
  },
  {
    title: "a report that a smaller worker does not take is given up, without a close by 1009",
    async run(stage) {
      const small = { ...TARGET_V2, limits: { maxFrameBytes: 1_024 } };
      const worker = await stage.scripted((nth) => (nth === 0 ? TARGET_V2 : small));
      await stage.startAt(worker.url, { readyChars: 2_000 });
      const first = await worker.connection(0);
      await first.frame("target-ready");
      first.cut();
      const second = await worker.connection(1);
      assert.match((await second.frame("abort")).reason, /bytes, and a worker takes 1024$/);
      await second.isRead();
      assert.equal(second.reports.length, 1);
    },
  },
  {
    title: "a refused connection is tried again until the worker is there",
    async run(stage) {
      const absent = await stage.scripted(() => V2);
      await absent.stop();
      const job = await stage.startAt(absent.url);
      await job.logged("connecting again in", 3);
      const worker = await stage.scripted(() => V2, absent.port);
      assert.equal(await job.ready(), "source");
      assert.equal(worker.connections.length, 1);
    },
  },
  {
    title: "an unknown token (4401) is tried again, slowly",
    async run(stage) {
      const worker = await stage.scripted((nth) => (nth < 3 ? undefined : V2));
      const job = await stage.startAt(worker.url, { reconnectMaxMs: 300 });
      for (const nth of [0, 1, 2]) {
        const connection = await worker.connection(nth);
        await connection.frame("hello");
        const closedAt = performance.now();
        connection.close(CLOSE_CODE.unknownToken, "unknown token");
        const { openedAt } = await worker.connection(nth + 1);
        // Half of reconnectMaxMs at least, less what timers of another process round away.
        assert.ok(openedAt - closedAt > 145, `it came back after ${openedAt - closedAt} ms`);
      }
      assert.equal(await job.ready(), "source");
      await job.logged("closed with 4401", 3);
    },
  },
  {
    title: "a superseded job (4409) stays away, and its process ends",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      const job = await stage.startAt(worker.url);
      await job.ready();
      (await worker.connection(0)).close(CLOSE_CODE.superseded, "superseded");
      await job.logged("a newer connection of this instance took over");
      // A page has no end of its own: several times the longest delay have to do.
      if (stage.runtime.origin !== undefined) await new Promise((resolve) => setTimeout(resolve, 300));
      else assert.deepEqual(await job.gone, { reason: "exited with code 0" });
      assert.equal(worker.connections.length, 1);
    },
  },
  {
    title: "a half-open connection is noticed within two intervals",
    async run(stage) {
      const worker = await stage.scripted((nth) => ({ ...V2, pingIntervalMs: nth === 0 ? 100 : 10_000 }));
      const job = await stage.startAt(worker.url);
      await job.ready();
      const first = await worker.connection(0);
      first.freeze();
      const frozenAt = performance.now();
      const second = await worker.connection(1);
      assert.ok(second.openedAt - frozenAt < 2_000, `noticed after ${second.openedAt - frozenAt} ms`);
      await job.logged("no sign of life from the worker within 200 ms");
      await second.frame("hello");
      await second.isRead();
    },
  },
  {
    title: "a live connection is kept by pings and pongs",
    async run(stage) {
      const worker = await stage.scripted(() => ({ ...V2, pingIntervalMs: 400 }));
      const job = await stage.startAt(worker.url);
      await job.ready();
      const connection = await worker.connection(0);
      for (const nth of [0, 1, 2]) {
        await connection.frame("ping", nth);
        connection.send({ type: "pong" });
      }
      await connection.isRead();
      assert.equal(worker.connections.length, 1);
    },
  },
];
