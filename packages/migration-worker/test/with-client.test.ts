import {
  connectMigration,
  stateRefusal,
  type MigrationClient,
  type MigrationHandlers,
} from "@changeover/migration-client";
import { eventually } from "@changeover/testing";
import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkerEvent } from "../src/events.js";
import { startMigrationWorker, type MigrationWorker } from "../src/migration-worker.js";
import type { Phase } from "../src/handover/end.js";
import type { Placement } from "../src/placement.js";
import { startUnreliableProxy } from "./unreliable-proxy.js";

async function startWorker(): Promise<{ worker: MigrationWorker; events: WorkerEvent[] }> {
  const worker = await startMigrationWorker();
  const events: WorkerEvent[] = [];
  worker.subscribe((event) => events.push(event));
  onTestFinished(() => worker.close());
  return { worker, events };
}

/** A counter in this process that hands over: the least that a job does. */
class CounterJob implements Placement {
  readonly gone: Promise<{ reason: string }>;
  readonly client: MigrationClient;
  value = 0;
  isActive = false;
  remove: () => Promise<void>;

  constructor(env: Record<string, string>, overrides: MigrationHandlers = {}) {
    let die: (end: { reason: string }) => void = () => {};
    this.gone = new Promise((resolve) => {
      die = resolve;
    });
    this.client = connectMigration(
      {
        onGetState: () => this.value,
        onInitialState: (value) => {
          this.value = Number(value);
          this.client.reportReady(this.value);
        },
        onCutoverReady: () => {
          this.isActive = false;
          this.value++;
          this.client.reportStoppedOutput(this.value);
        },
        onCutoverApply: (value) => {
          this.value = Number(value);
          this.isActive = true;
          this.client.reportApplied();
        },
        onAbort: () => {
          this.isActive = true;
        },
        ...overrides,
      },
      env,
      { reconnectMinMs: 10, reconnectMaxMs: 50 },
    );
    this.remove = async () => {
      this.client.close();
      this.isActive = false;
      die({ reason: "removed" });
    };
    void this.client.ready.then((role) => (this.isActive = role === "source")).catch(() => {});
  }
}

describe("the client with the worker", () => {
  it("hands over ten times in a row, each target being the next source", async () => {
    const { worker } = await startWorker();
    const job = worker.register("counter");
    let active = new CounterJob(job.env);
    job.attach(active);
    expect(await active.client.ready).toBe("source");
    for (let i = 1; i <= 10; i++) {
      const source = active;
      const end = await worker.handover("counter", {
        placeTarget: async ({ env }) => (active = new CounterJob(env)),
      });
      expect(end).toMatchObject({ outcome: "completed" });
      expect(active).toMatchObject({ value: i, isActive: true });
      expect(source.isActive).toBe(false);
    }
    await active.remove();
  });

  it("refuses, and says why", async () => {
    const { worker } = await startWorker();
    const job = worker.register("counter");
    const source = new CounterJob(job.env, { onGetState: () => stateRefusal("an advert is on air") });
    await source.client.ready;
    const placeTarget = () => Promise.reject(new Error("never called"));
    expect(await worker.handover("counter", { placeTarget })).toMatchObject({
      outcome: "refused",
      reason: "an advert is on air",
    });
    await source.remove();
  });

  it("lets the source resume when the target gives up as it takes over", async () => {
    const { worker } = await startWorker();
    const job = worker.register("counter");
    const source = new CounterJob(job.env);
    job.attach(source);
    await source.client.ready;
    const end = await worker.handover("counter", {
      placeTarget: async ({ env }) =>
        new CounterJob(env, {
          onCutoverApply: () => {
            throw new Error("the output is taken");
          },
        }),
    });
    expect(end).toMatchObject({
      outcome: "aborted",
      phase: "apply",
      active: "source",
      reason: expect.stringContaining("the output is taken"),
    });
    await eventually(() => expect(source.isActive).toBe(true));
    await source.remove();
  });

  it("hears from the source, and not from the clock, that a handler takes too long", async () => {
    const { worker } = await startWorker();
    const job = worker.register("counter");
    const source = new CounterJob(job.env, { onCutoverReady: () => new Promise(() => {}) });
    job.attach(source);
    await source.client.ready;
    const end = await worker.handover("counter", {
      placeTarget: async ({ env }) => new CounterJob(env),
      deadlines: { stop: 500 },
    });
    expect(end).toMatchObject({
      outcome: "aborted",
      phase: "stop",
      active: "source",
      reason: expect.stringMatching(/onCutoverReady did not settle within 4\d\d ms/),
    });
    await eventually(() => expect(source.isActive).toBe(true));
    await source.remove();
  });

  it.each<Phase>(["propose", "place", "ready", "stop", "apply"])(
    "completes a handover although all connections are cut when it enters %s",
    async (phase) => {
      const { worker, events } = await startWorker();
      const proxy = await startUnreliableProxy(Number(new URL(worker.url).port));
      onTestFinished(() => proxy.close());
      const viaProxy = (env: Record<string, string>) => ({
        ...env,
        [JOB_SOCKET_ENV.url]: `ws://127.0.0.1:${proxy.port}`,
      });
      const job = worker.register("counter");
      const source = new CounterJob(viaProxy(job.env));
      job.attach(source);
      await source.client.ready;
      worker.subscribe((event) => {
        if (event.type === "phase" && event.phase === phase) proxy.cut();
      });
      let target: CounterJob | undefined;
      const end = await worker.handover("counter", {
        placeTarget: async ({ env }) => (target = new CounterJob(viaProxy(env))),
      });
      expect(end).toMatchObject({ outcome: "completed" });
      expect(target).toMatchObject({ value: 1, isActive: true });
      expect(source.isActive).toBe(false);
      expect(events).toContainEqual(expect.objectContaining({ type: "disconnected" }));
      expect(events).toContainEqual(expect.objectContaining({ type: "connected", version: 2 }));
      await target?.remove();
    },
  );
});
