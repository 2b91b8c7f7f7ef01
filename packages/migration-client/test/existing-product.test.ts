import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { connectMigration, isStateRefusal, stateRefusal, type MigrationClient } from "../src/index.js";
import { scriptedWorker } from "./scripted-worker.js";

interface Position {
  frame: number;
}

/** A product as they are out there: written before there was a context, a `ready` or a time-out. */
class Encoder {
  readonly migration: MigrationClient;
  readonly log: string[] = [];
  frame = 0;
  isRecording = false;

  constructor(env: Record<string, string | undefined>) {
    this.migration = connectMigration(this, env, {
      WebSocket,
      reconnectMinMs: 10,
      reconnectMaxMs: 100,
      log: (line: string) => this.log.push(line),
      name: "encoder",
    });
  }

  async onGetState(migrationId: string) {
    if (this.isRecording) return stateRefusal("recording");
    this.log.push(`asked for ${migrationId}`);
    this.migration.reportState({ frame: this.frame });
    return undefined;
  }

  onInitialState(state: Position) {
    this.frame = state.frame;
    this.migration.reportReady({ frame: this.frame });
  }

  onCutoverReady(ready: Position, migrationId: string) {
    this.log.push(`stopping for ${migrationId}`);
    this.migration.reportStoppedOutput({ frame: Math.max(this.frame, ready.frame) });
  }

  async onCutoverApply(stopped: Position): Promise<void> {
    this.frame = stopped.frame;
    this.migration.reportApplied();
  }

  onAbort(reason: string) {
    this.log.push(`aborted: ${reason}`);
  }
}

test("a product that was written against the surface compiles and runs unchanged", async () => {
  const worker = await scriptedWorker({ acknowledge: () => ({}) });
  const encoder = new Encoder({ NORSK_WORKER_WS_URL: worker.url, NORSK_WORKER_TOKEN: "t-1" });
  onTestFinished(() => encoder.migration.close());
  const connection = await worker.connection(0);
  await connection.frame("hello");
  encoder.frame = 7;
  connection.send({ type: "get-state", migrationId: "m-1" });
  await expect(connection.frame("state")).resolves.toEqual({ type: "state", payload: { frame: 7 } });
  connection.send({ type: "cutover-ready", migrationId: "m-1", payload: { frame: 9 } });
  const { payload } = await connection.frame("source-stopped-output");
  expect(payload).toEqual({ frame: 9 });
  encoder.isRecording = true;
  connection.send({ type: "get-state", migrationId: "m-2" });
  await expect(connection.frame("state-refused")).resolves.toEqual({ type: "state-refused", reason: "recording" });
  expect(encoder.log).toContain("asked for m-1");
  expect(encoder.log).toContain("encoder: connected as source");
});

test("the surface has the types that products rely on", () => {
  const client = connectMigration({}, process.env.NONE ? process.env : {});
  expectTypeOf(client.role).toEqualTypeOf<"source" | "target" | "none">();
  expectTypeOf(client.migrationId).toEqualTypeOf<string | undefined>();
  expectTypeOf(client.connected).toEqualTypeOf<boolean>();
  expectTypeOf(client.ready).toEqualTypeOf<Promise<"source" | "target" | "none">>();
  expectTypeOf(client.reportState).toEqualTypeOf<(payload: unknown) => void>();
  expectTypeOf(client.abort).toEqualTypeOf<(reason: string) => void>();
  // Detached methods and handlers that return something are what products have.
  const { reportApplied, close } = client;
  connectMigration({ onAbort: () => 1, onCutoverApply: () => reportApplied(), onGetState: async () => null }, {}, {});
  connectMigration({}, {}, { WebSocket: undefined, log: undefined, name: undefined });
  close();
  expect(isStateRefusal(stateRefusal("no"))).toBe(true);
});
