import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { V2 } from "../acknowledgements.js";
import type { Case } from "../case.js";
import { eventually } from "../eventually.js";
import type { Job, Stage } from "../stage.js";

/** A page has no end of its own. */
async function assertEnds(stage: Stage, job: Job): Promise<void> {
  if (stage.runtime.origin !== undefined) return;
  let end: string | undefined;
  void job.gone.then(({ reason }) => (end = reason));
  assert.equal(await eventually("the end of the process", () => end, 5_000), "exited with code 0");
}

export const closing: readonly Case[] = [
  {
    title: "close() ends the connection with 1000, and lets the process end",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      const job = await stage.startAt(worker.url, { closeOn: "connected as source" });
      const connection = await worker.connection(0);
      assert.equal(await eventually("the close", () => connection.end), 1000);
      await assertEnds(stage, job);
      assert.equal(worker.connections.length, 1);
    },
  },
  {
    title: "close() while connecting ends the attempt, and lets the process end",
    async run(stage) {
      const sockets: Socket[] = [];
      const silent = createServer((socket) => sockets.push(socket.on("error", () => {}).resume()));
      silent.listen(0, "127.0.0.1");
      await once(silent, "listening");
      stage.cleanUp(async () => {
        for (const socket of sockets) socket.destroy();
        silent.close();
      });
      const address = silent.address();
      if (address === null || typeof address === "string") throw new Error("the server has no port");
      const job = await stage.startAt(`ws://127.0.0.1:${address.port}/`, { closeOn: "connecting to" });
      await assertEnds(stage, job);
      // A browser may not have begun to connect at all.
      await eventually(
        "the end of the attempt",
        () => job.eventsOf("log").length > 0 && sockets.every(({ closed }) => closed),
      );
    },
  },
  {
    title: "close() between two attempts makes no further one, and lets the process end",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      await worker.stop();
      const job = await stage.startAt(worker.url, {
        reconnectMinMs: 20_000,
        reconnectMaxMs: 20_000,
        closeOn: "again in",
      });
      await job.logged("connecting again in");
      await assertEnds(stage, job);
      assert.equal(job.eventsOf("log").filter(({ line }) => line.includes("connecting to")).length, 1);
    },
  },
  {
    title: "unref lets the process end between two attempts to connect",
    async run(stage) {
      const worker = await stage.scripted(() => V2);
      await worker.stop();
      const job = await stage.startAt(worker.url, { reconnectMinMs: 20_000, reconnectMaxMs: 20_000, unref: true });
      await job.logged("connecting again in");
      await assertEnds(stage, job);
    },
  },
];
