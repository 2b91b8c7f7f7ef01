import { LIMITS } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { helloV2, ScriptedJob } from "./scripted-job.js";
import { createStage, type Run, type Stage } from "./stage.js";

interface Scene extends Stage {
  source: ScriptedJob;
}

/** A stage whose source speaks version 2. */
async function createScene(...args: Parameters<typeof createStage>): Promise<Scene> {
  const stage = await createStage(...args);
  return { ...stage, source: await ScriptedJob.connect(stage.sourceEnv, {}, helloV2) };
}

async function connectTarget(run: Run): Promise<ScriptedJob> {
  return ScriptedJob.connect(await run.targetEnv, {}, helloV2);
}

/** Takes a handover to the phase in which the target has been told to take over. */
async function untilApply({ source }: Scene, run: Run): Promise<{ migrationId: unknown; target: ScriptedJob }> {
  const { migrationId } = await source.hears("get-state");
  source.send({ type: "state", migrationId, seq: 1, payload: { n: 1 } });
  const target = await connectTarget(run);
  await target.hears("initial-state");
  target.send({ type: "target-ready", migrationId, seq: 1, payload: { n: 5 } });
  await source.hears("cutover-ready");
  source.send({ type: "source-stopped-output", migrationId, seq: 2, payload: { n: 6 } });
  await target.hears("cutover-apply");
  return { migrationId, target };
}

describe("version 2", () => {
  it("is what a worker answers a hello of version 2 with, and only that", async () => {
    const scene = await createScene();
    expect(scene.source.heard[0]).toEqual({
      type: "hello-ack",
      protocol: 2,
      worker: expect.stringMatching(/^@changeover\/migration-worker\//),
      epoch: 1,
      limits: { maxFrameBytes: LIMITS.maxFrameBytes },
      pingIntervalMs: LIMITS.pingIntervalMs,
    });
    const older = await ScriptedJob.connect(scene.sourceEnv);
    expect(older.heard).toEqual([{ type: "hello-ack" }]);
    const newer = await ScriptedJob.connect(scene.sourceEnv, {}, { ...helloV2, protocol: 9 });
    expect(newer.heard[0]).toMatchObject({ protocol: 2 });
  });

  it("hands over with acknowledged reports, deadlines and epochs, and tells both that it is done", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId, target } = await untilApply(scene, run);
    target.send({ type: "target-applied", migrationId, seq: 2 });
    expect(await run.end).toMatchObject({ outcome: "completed", migrationId });
    await scene.source.hears("committed");
    await target.hears("report-ack", 5);
    expect(scene.source.heard.slice(1)).toEqual([
      { type: "get-state", migrationId, epoch: 1, deadlineMs: 10_000 },
      { type: "report-ack", seq: 1 },
      { type: "cutover-ready", migrationId, payload: { n: 5 }, epoch: 1, deadlineMs: 10_000 },
      { type: "report-ack", seq: 2 },
      { type: "committed", migrationId, epoch: 2 },
    ]);
    expect(target.heard).toEqual([
      expect.objectContaining({ type: "hello-ack", epoch: 2, migration: { id: migrationId } }),
      { type: "initial-state", migrationId, payload: { n: 1 }, epoch: 2, deadlineMs: 60_000 },
      { type: "report-ack", seq: 1 },
      { type: "cutover-apply", migrationId, payload: { n: 6 }, epoch: 2, deadlineMs: 10_000 },
      { type: "committed", migrationId, epoch: 2 },
      { type: "report-ack", seq: 2 },
    ]);
  });

  it("tells a target that nothing was handed over, so that it need not wait; version 1 has no word for it", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId } = await scene.source.hears("get-state");
    scene.source.send({ type: "state", migrationId, seq: 1, payload: null });
    const target = await connectTarget(run);
    expect(await target.hears("initial-state")).toMatchObject({ migrationId, payload: null, deadlineMs: 60_000 });
    target.cut();
    const older = await ScriptedJob.connect(await run.targetEnv);
    older.send({ type: "target-ready", payload: 1 });
    await scene.source.hears("cutover-ready");
    expect(older.heard).toEqual([{ type: "hello-ack", migration: { id: migrationId } }]);
  });

  it("takes a repeated report once, also when its acknowledgement was lost with the connection", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId } = await scene.source.hears("get-state");
    const state = { type: "state", migrationId, seq: 1, payload: 1 };
    scene.source.send(state);
    await scene.source.hears("report-ack");
    scene.source.cut();
    const back = await ScriptedJob.connect(scene.sourceEnv, {}, helloV2);
    back.send(state);
    expect(await back.hears("report-ack")).toEqual({
      type: "report-ack",
      seq: 1,
      ignored: "it has been taken already",
    });
    await run.targetEnv;
    expect(scene.events.filter((event) => event.type === "phase" && event.phase === "place").length).toBe(1);
  });

  it("counts the reports of another process of the instance anew", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId } = await scene.source.hears("get-state");
    scene.source.cut();
    const restarted = await ScriptedJob.connect(scene.sourceEnv, {}, { ...helloV2, session: "session-2" });
    await restarted.hears("get-state");
    restarted.send({ type: "state", migrationId, seq: 1, payload: 1 });
    expect(await restarted.hears("report-ack")).toEqual({ type: "report-ack", seq: 1 });
    await run.targetEnv;
  });

  it("acknowledges a late report as ignored, with the phase in which it came, and punishes nobody", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId } = await scene.source.hears("get-state");
    scene.source.send({ type: "source-stopped-output", migrationId, seq: 1, payload: 1 });
    expect(await scene.source.hears("report-ack")).toEqual({
      type: "report-ack",
      seq: 1,
      ignored: "nothing waits for it in propose",
    });
    scene.source.send({ type: "state", migrationId: "an-older-one", seq: 2, payload: 1 });
    await eventually(() =>
      expect(scene.source.heard.at(-1)).toEqual({
        type: "report-ack",
        seq: 2,
        ignored: `migration ${String(migrationId)} is in flight`,
      }),
    );
    scene.source.send({ type: "state-refused", migrationId, seq: 3, reason: "busy" });
    expect(await run.end).toMatchObject({ outcome: "refused", reason: "busy" });
    scene.source.send({ type: "abort", migrationId, seq: 4, reason: "too late" });
    await eventually(() =>
      expect(scene.source.heard.at(-1)).toMatchObject({ seq: 4, ignored: "no handover of this job is in flight" }),
    );
  });

  it("sends the current command again after a reconnect", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId } = await scene.source.hears("get-state");
    scene.source.send({ type: "state", migrationId, seq: 1, payload: { n: 1 } });
    let target = await connectTarget(run);
    await target.hears("initial-state");
    target.cut();
    target = await connectTarget(run);
    await target.hears("initial-state");
    target.send({ type: "target-ready", migrationId, seq: 1, payload: { n: 5 } });
    await scene.source.hears("cutover-ready");
    scene.source.cut();
    const source = await ScriptedJob.connect(scene.sourceEnv, {}, helloV2);
    expect(await source.hears("cutover-ready")).toMatchObject({ payload: { n: 5 } });
    source.send({ type: "source-stopped-output", migrationId, seq: 2, payload: { n: 6 } });
    await target.hears("cutover-apply");
    target.cut();
    target = await connectTarget(run);
    expect(await target.hears("cutover-apply")).toMatchObject({ payload: { n: 6 } });
    target.send({ type: "target-applied", migrationId, seq: 2 });
    expect(await run.end).toMatchObject({ outcome: "completed" });
  });

  it("says how much of a deadline is left, not how long it was", async () => {
    const scene = await createScene();
    scene.handOver();
    await scene.source.hears("get-state");
    await scene.clock.advance(4_000);
    const back = await ScriptedJob.connect(scene.sourceEnv, {}, helloV2);
    expect(await back.hears("get-state")).toMatchObject({ deadlineMs: 6_000 });
  });

  it("gives a source that resumes a newer epoch than its target may have written under", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { target } = await untilApply(scene, run);
    target.cut();
    run.targetPlacement.die("killed");
    expect(await scene.source.hears("abort")).toMatchObject({ epoch: 3 });
    const back = await ScriptedJob.connect(scene.sourceEnv, {}, helloV2);
    expect(back.heard[0]).toMatchObject({ type: "hello-ack", epoch: 3 });
    expect(await back.hears("abort")).toMatchObject({ epoch: 3 });
  });

  it("tells a target that was away when its handover was committed", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId, target } = await untilApply(scene, run);
    target.send({ type: "target-applied", migrationId, seq: 2 });
    target.cut();
    await run.end;
    const back = await connectTarget(run);
    expect(back.heard[0]).not.toHaveProperty("migration");
    expect(await back.hears("committed")).toEqual({ type: "committed", migrationId, epoch: 2 });
  });

  it("owes that news until it was heard, whatever a later handover comes to", async () => {
    const scene = await createScene();
    const run = scene.handOver();
    const { migrationId, target } = await untilApply(scene, run);
    target.send({ type: "target-applied", migrationId, seq: 2 });
    target.cut();
    await run.end;
    const controller = new AbortController();
    const next = scene.handOver({ signal: controller.signal });
    controller.abort();
    await next.end;
    expect(await (await connectTarget(run)).hears("committed")).toMatchObject({ migrationId });
  });

  it("answers a ping, and cuts a peer that does not answer its own", async () => {
    const scene = await createScene();
    scene.source.send({ type: "ping" });
    await scene.source.hears("pong");
    await scene.clock.advance(LIMITS.pingIntervalMs);
    await scene.source.hears("ping");
    await scene.clock.advance(LIMITS.pingIntervalMs);
    expect(scene.events.at(-1)).toMatchObject({
      type: "disconnected",
      reason: expect.stringMatching(/^no sign of life for \d+ ms$/),
    });
    expect(scene.clock.pending).toBe(0);
  });

  it("keeps version 1 out of it: a report without its migration is a violation where version 2 was agreed on", async () => {
    const scene = await createScene();
    scene.source.send({ type: "state", payload: 1 });
    expect(await scene.source.closed).toEqual({
      code: 4400,
      reason: 'state: "migrationId" is missing or not of type string',
    });
  });

  it("hands over from an instance of version 1 to one of version 2, and the reverse", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const { migrationId } = await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    const target = await connectTarget(run);
    await target.hears("initial-state");
    target.send({ type: "target-ready", migrationId, seq: 1, payload: 2 });
    await stage.source.hears("cutover-ready");
    stage.source.send({ type: "source-stopped-output", payload: 3 });
    await target.hears("cutover-apply");
    target.send({ type: "target-applied", migrationId, seq: 2 });
    expect(await run.end).toMatchObject({ outcome: "completed" });
    expect(stage.source.types).toEqual(["hello-ack", "get-state", "cutover-ready"]);

    const back = stage.handOver();
    const asked = await target.hears("get-state");
    target.send({ type: "state", migrationId: asked["migrationId"], seq: 3, payload: 4 });
    const older = await ScriptedJob.connect(await back.targetEnv);
    await older.hears("initial-state");
    older.send({ type: "target-ready", payload: 5 });
    await target.hears("cutover-ready");
    target.send({ type: "source-stopped-output", migrationId: asked["migrationId"], seq: 4, payload: 6 });
    await older.hears("cutover-apply");
    older.send({ type: "target-applied" });
    expect(await back.end).toMatchObject({ outcome: "completed" });
    expect(older.types).toEqual(["hello-ack", "initial-state", "cutover-apply"]);
  });
});
