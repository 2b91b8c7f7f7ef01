import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import type { HandoverEnd } from "../src/handover/end.js";
import { helloV2, ScriptedJob } from "./scripted-job.js";
import { createStage, TestPlacement, untilApply, untilReady, untilStop } from "./stage.js";

describe("a handover", () => {
  it("goes through its phases, and the target is the source of the next one", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilApply(stage, run);
    target.send({ type: "target-applied" });

    const end = await run.end;
    expect(end).toMatchObject({ outcome: "completed", jobId: "job-1" });
    expect(Object.keys(end.phasesMs)).toEqual(["propose", "place", "ready", "stop", "apply", "commit"]);
    expect(stage.source.heard).toEqual([
      { type: "hello-ack" },
      { type: "get-state", migrationId: end.migrationId },
      { type: "cutover-ready", migrationId: end.migrationId, payload: { n: 5 } },
    ]);
    expect(target.heard).toEqual([
      { type: "hello-ack", migration: { id: end.migrationId } },
      { type: "initial-state", migrationId: end.migrationId, payload: { n: 1 } },
      { type: "cutover-apply", migrationId: end.migrationId, payload: { n: 6 } },
    ]);
    expect(stage.sourcePlacement.isRemoved).toBe(true);
    expect(run.targetPlacement.isRemoved).toBe(false);
    expect((await stage.source.closed).code).toBe(4401);

    const next = stage.handOver();
    expect(await target.hears("get-state")).toMatchObject({ type: "get-state" });
    target.send({ type: "state-refused", reason: "not now" });
    expect(await next.end).toMatchObject({ outcome: "refused", reason: "not now" });
  });

  it("tells how long there was no output, as the worker heard of it", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilStop(stage, run);
    await stage.clock.advance(30);
    stage.source.send({ type: "source-stopped-output", payload: { n: 6 } });
    await target.hears("cutover-apply");
    await stage.clock.advance(2);
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed", outputGapMs: 2, phasesMs: { stop: 30, apply: 2 } });
  });

  it("counts the time without output from the death of a source that was lost", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilReady(stage, run);
    stage.sourcePlacement.die("killed");
    await eventually(() => expect(stage.events).toContainEqual(expect.objectContaining({ type: "gone" })));
    await stage.clock.advance(40);
    target.send({ type: "target-ready", payload: { n: 5 } });
    await target.hears("cutover-apply");
    await stage.clock.advance(2);
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed", sourceLost: "killed", outputGapMs: 42 });
  });

  it("sends no initial state where the source hands nothing over", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: null });
    const target = await ScriptedJob.connect(await run.targetEnv);
    target.send({ type: "target-ready", payload: null });
    await stage.source.hears("cutover-ready");
    expect(target.types).toEqual(["hello-ack"]);
  });

  it("takes a target that is ready before the call that places it returns", async () => {
    const stage = await createStage();
    const placement = new TestPlacement();
    const { end } = stage.handOver({
      placeTarget: async ({ env }) => {
        const target = await ScriptedJob.connect(env);
        await target.hears("initial-state");
        target.send({ type: "target-ready", payload: 3 });
        void target.hears("cutover-apply").then(() => target.send({ type: "target-applied" }));
        // The worker has read the report when it reads this connection's next frame.
        await eventually(() =>
          expect(stage.events.some((event) => event.type === "connected" && event.side === "target")).toBe(true),
        );
        return placement;
      },
    });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    expect(await stage.source.hears("cutover-ready")).toMatchObject({ payload: 3 });
    stage.source.send({ type: "source-stopped-output", payload: 3 });
    expect(await end).toMatchObject({ outcome: "completed" });
  });

  it("is refused while another one of the job is in flight", async () => {
    const stage = await createStage();
    stage.handOver();
    expect(await stage.handOver().end).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/^handover .* of this job is in flight$/),
    });
  });

  it("waits in propose for a source that is away, and asks it again when it is back", async () => {
    const stage = await createStage();
    stage.source.cut();
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "disconnected", side: "source" }));
    const run = stage.handOver();
    const back = await ScriptedJob.connect(stage.sourceEnv);
    await back.hears("get-state");
    back.send({ type: "state-refused", reason: "busy" });
    expect(await run.end).toMatchObject({ outcome: "refused", reason: "busy" });
  });
});

describe("a deadline", () => {
  it("in propose is a refusal that names the cause where the source speaks version 1", async () => {
    const stage = await createStage();
    const run = stage.handOver({ deadlines: { propose: 300 } });
    await stage.source.hears("get-state");
    await stage.clock.advance(300);
    expect(await run.end).toMatchObject({
      outcome: "refused",
      reason:
        "the source did not answer get-state within 300 ms: it speaks version 1, and a client that predates the propose never does",
    });
    expect(await stage.source.hears("abort")).toMatchObject({ reason: expect.stringContaining("300 ms") });
  });

  it("in propose leaves the source active", async () => {
    const stage = await createStage(undefined, {}, helloV2);
    const run = stage.handOver({ deadlines: { propose: 300 } });
    await stage.source.hears("get-state");
    await stage.clock.advance(300);
    expect(await run.end).toMatchObject({
      outcome: "aborted",
      phase: "propose",
      active: "source",
      reason: "the source did not answer get-state within 300 ms",
    });
    expect(await stage.source.hears("abort")).toMatchObject({ reason: expect.stringContaining("300 ms") });
  });

  it("in place calls the placing off and removes what it still brings", async () => {
    const stage = await createStage();
    const placement = new TestPlacement();
    const { end } = stage.handOver({
      deadlines: { place: 200 },
      placeTarget: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(placement))),
    });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "phase", phase: "place" }));
    await stage.clock.advance(200);
    expect(await end).toMatchObject({ outcome: "aborted", phase: "place", active: "source" });
    expect(placement.isRemoved).toBe(true);
  });

  it("in place ends even if the placing never settles, and a new handover is possible", async () => {
    const stage = await createStage();
    const { end } = stage.handOver({
      deadlines: { place: 200, fencing: 100 },
      placeTarget: () => new Promise(() => {}),
    });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "phase", phase: "place" }));
    await stage.clock.advance(200);
    await stage.clock.advance(100);
    expect(await end).toMatchObject({ outcome: "aborted", phase: "place", active: "source" });
    const heard = stage.source.heard.length;
    stage.handOver();
    await stage.source.hears("get-state", heard);
  });

  it("in ready removes the target", async () => {
    const stage = await createStage();
    const run = stage.handOver({ deadlines: { ready: 400 } });
    const target = await untilReady(stage, run);
    await stage.clock.advance(400);
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "ready", active: "source" });
    expect(run.targetPlacement.isRemoved).toBe(true);
    await target.hears("abort");
    await stage.source.hears("abort");
  });

  it("in stop lets the source resume at once: the target was never told to take over", async () => {
    const stage = await createStage("hangs");
    const run = stage.handOver({ deadlines: { stop: 100 } });
    await untilStop(stage, run);
    await stage.clock.advance(100);
    await stage.source.hears("abort");
    await stage.clock.advance(15_000);
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "stop", active: "source" });
    expect(stage.events).toContainEqual(expect.objectContaining({ type: "remove-failed", side: "target" }));
  });

  it("in apply fences the target first, and only then does the source resume", async () => {
    const stage = await createStage("hangs");
    const run = stage.handOver({ deadlines: { apply: 100 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    expect(run.targetPlacement.isRemoved).toBe(true);
    await stage.clock.advance(14_000);
    expect(stage.source.types).not.toContain("abort");
    run.targetPlacement.die("killed");
    await stage.source.hears("abort");
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "apply", active: "source" });
  });

  it("of the fencing ends it as indeterminate, and the source stays silent", async () => {
    const stage = await createStage("fails");
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    expect(await run.end).toMatchObject({
      outcome: "indeterminate",
      phase: "apply",
      reason: expect.stringContaining("the engine does not answer"),
    });
    expect(stage.source.types).not.toContain("abort");
  });

  it("of the fencing keeps the source silent until the target is gone, and then lets it resume", async () => {
    const stage = await createStage("hangs");
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    expect(await run.end).toMatchObject({ outcome: "indeterminate" });

    const { migrationId } = await run.end;
    expect(await stage.handOver().end).toMatchObject({
      outcome: "refused",
      reason: `the target of handover ${migrationId} may be active: it is not known to be gone, so remove it first`,
    });
    expect(stage.source.types).not.toContain("abort");
    run.targetPlacement.die("removed by hand");
    expect(await stage.source.hears("abort")).toMatchObject({ migrationId });

    const heard = stage.source.heard.length;
    stage.handOver();
    await stage.source.hears("get-state", heard);
  });

  it("of the fencing lets the source resume where the control plane wants that, under a newer epoch", async () => {
    const stage = await createStage("hangs");
    const source = await ScriptedJob.connect(stage.sourceEnv, {}, helloV2);
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 }, onIndeterminate: "resume" });
    const { migrationId } = await source.hears("get-state");
    source.send({ type: "state", migrationId, seq: 1, payload: { n: 1 } });
    const target = await ScriptedJob.connect(await run.targetEnv);
    target.send({ type: "target-ready", payload: { n: 5 } });
    await source.hears("cutover-ready");
    source.send({ type: "source-stopped-output", migrationId, seq: 2, payload: { n: 6 } });
    await target.hears("cutover-apply");
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    expect(await run.end).toMatchObject({ outcome: "indeterminate" });
    expect(await source.hears("abort")).toMatchObject({ epoch: 3 });
  });

  it("of the fencing is far enough away to try the removal again", async () => {
    const stage = await createStage("fails");
    const run = stage.handOver({ deadlines: { apply: 100 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    run.targetPlacement.isRemoved = false;
    await stage.clock.advance(1_000);
    expect(run.targetPlacement.isRemoved).toBe(true);
    run.targetPlacement.die("removed at last");
    expect(await run.end).toMatchObject({ outcome: "aborted", active: "source" });
  });
});

describe("an abort", () => {
  it.each(["propose", "ready", "stop", "apply"] as const)("of the source in %s leaves it active", async (phase) => {
    const stage = await createStage();
    const run = stage.handOver();
    if (phase === "propose") await stage.source.hears("get-state");
    if (phase === "ready") await untilReady(stage, run);
    if (phase === "stop") await untilStop(stage, run);
    if (phase === "apply") await untilApply(stage, run);
    stage.source.send({ type: "abort", reason: "no disk" });
    expect(await run.end).toMatchObject({
      outcome: "aborted",
      phase,
      active: "source",
      reason: "the source aborted: no disk",
    });
    await stage.source.hears("abort");
    expect(run.targetPlacement.isRemoved).toBe(phase !== "propose");
  });

  it.each(["ready", "stop", "apply"] as const)("of the target in %s removes it", async (phase) => {
    const stage = await createStage();
    const run = stage.handOver();
    const until = { ready: untilReady, stop: untilStop, apply: untilApply }[phase];
    const target = await until(stage, run);
    target.send({ type: "abort", reason: "no output" });
    expect(await run.end).toMatchObject({ outcome: "aborted", phase, active: "source" });
    expect(run.targetPlacement.isRemoved).toBe(true);
    expect((await target.closed).code).toBe(4401);
  });

  it.each(["propose", "ready", "stop"] as const)("by the caller's signal in %s ends it", async (phase) => {
    const stage = await createStage();
    const controller = new AbortController();
    const run = stage.handOver({ signal: controller.signal });
    if (phase === "propose") await stage.source.hears("get-state");
    if (phase === "ready") await untilReady(stage, run);
    if (phase === "stop") await untilStop(stage, run);
    controller.abort(new Error("the host drains"));
    expect(await run.end).toMatchObject({ outcome: "aborted", phase, reason: "cancelled: the host drains" });
  });

  it("by the caller's signal is heard as early as the first event", async () => {
    const stage = await createStage();
    const controller = new AbortController();
    stage.worker.subscribe((event) => event.type === "phase" && controller.abort(new Error("changed my mind")));
    const run = stage.handOver({ signal: controller.signal });
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "propose", reason: "cancelled: changed my mind" });
  });

  it("by the caller's signal is ignored once the target has been told to take over", async () => {
    const stage = await createStage();
    const controller = new AbortController();
    const run = stage.handOver({ signal: controller.signal });
    const target = await untilApply(stage, run);
    controller.abort();
    expect(stage.events.at(-1)).toMatchObject({ type: "ignored", what: "cancel" });
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed" });
  });

  it("is told again to a source that reconnects, because it may have stopped", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilStop(stage, run);
    stage.source.cut();
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "disconnected" }));
    target.send({ type: "abort", reason: "no output" });
    expect(await run.end).toMatchObject({ active: "source" });
    const back = await ScriptedJob.connect(stage.sourceEnv);
    await back.hears("abort");
    back.cut();
    const again = await ScriptedJob.connect(stage.sourceEnv);
    await again.hears("abort");
  });

  it("is owed until it was heard, whatever later handovers come to", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilStop(stage, run);
    stage.source.cut();
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "disconnected" }));
    target.send({ type: "abort", reason: "no output" });
    const { migrationId } = await run.end;
    const controller = new AbortController();
    const next = stage.handOver({ signal: controller.signal });
    controller.abort();
    await next.end;
    const back = await ScriptedJob.connect(stage.sourceEnv);
    await back.hears("abort");
    expect(back.heard.filter(({ type }) => type === "abort")).toEqual([
      { type: "abort", migrationId, reason: expect.any(String) },
    ]);
  });

  it("follows a frame that cannot be sent", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    // JSON.parse takes it, JSON.stringify runs out of stack.
    stage.source.sendText(`{"type":"state","payload":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    const target = await ScriptedJob.connect(await run.targetEnv);
    expect(await run.end).toMatchObject({ outcome: "aborted", active: "source" });
    expect((await run.end).outcome === "aborted" && (await target.closed).code).toBe(4401);
    expect(run.targetPlacement.isRemoved).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["no promise of its end", { remove: async () => {} }],
  ])("follows a placeTarget that gives %s", async (_name, placement) => {
    const stage = await createStage();
    const placeTarget = Object.assign(async () => placement, {});
    // @ts-expect-error A caller without types can do this.
    const { end } = stage.handOver({ placeTarget });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    expect(await end).toMatchObject({
      outcome: "aborted",
      phase: "place",
      reason: expect.stringContaining('it must be an object with a promise "gone" and a function "remove"'),
    });
  });

  it("follows a target that could not be placed", async () => {
    const stage = await createStage();
    const { end } = stage.handOver({ placeTarget: () => { throw new Error("no such image"); } }); // prettier-ignore
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    expect(await end).toMatchObject({
      outcome: "aborted",
      phase: "place",
      reason: "the target could not be placed: no such image",
      active: "source",
    });
  });

  it("a hundred times over does not keep the next handover from completing", async () => {
    const stage = await createStage();
    for (let i = 0; i < 100; i++) {
      const heard = stage.source.heard.length;
      const run = stage.handOver();
      await stage.source.hears("get-state", heard);
      stage.source.send({ type: "abort", reason: `attempt ${i}` });
      expect(await run.end).toMatchObject({ outcome: "aborted" });
    }
    stage.source.heard.length = 0;
    const run = stage.handOver();
    const target = await untilApply(stage, run);
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed" });
    await eventually(() => expect(stage.clock.pending).toBe(0));
  });
});

describe("a death", () => {
  it("of the target in ready leaves the source active", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await untilReady(stage, run);
    run.targetPlacement.die("exited with code 1");
    expect(await run.end).toMatchObject({
      phase: "ready",
      active: "source",
      reason: "the target is gone: exited with code 1",
    });
  });

  it("of the target in apply lets the source resume at once", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await untilApply(stage, run);
    run.targetPlacement.die("killed by SIGKILL");
    await stage.source.hears("abort");
    expect(await run.end).toMatchObject({ phase: "apply", active: "source" });
  });

  it.each(["place", "ready"] as const)("of the source in %s promotes the target once it is ready", async (phase) => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: { n: 1 } });
    const env = await run.targetEnv;
    if (phase === "place") stage.sourcePlacement.die("killed");
    const target = await ScriptedJob.connect(env);
    if (phase === "ready") stage.sourcePlacement.die("killed");
    target.send({ type: "target-ready", payload: { n: 5 } });
    expect(await target.hears("cutover-apply")).toMatchObject({ payload: { n: 5 } });
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed", sourceLost: "killed" });
  });

  it("of the source in stop promotes the target from its own position", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilStop(stage, run);
    stage.sourcePlacement.die("killed");
    expect(await target.hears("cutover-apply")).toMatchObject({ payload: { n: 5 } });
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed", sourceLost: "killed" });
  });

  it("of the source ends it where the control plane wants that: nobody is active", async () => {
    const stage = await createStage();
    const run = stage.handOver({ sourceLost: "abort" });
    await untilReady(stage, run);
    stage.sourcePlacement.die("killed");
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "ready", active: "none" });
    expect(run.targetPlacement.isRemoved).toBe(true);
  });

  it("is told by the placement that was attached last", async () => {
    const stage = await createStage();
    stage.worker.jobs()[0]?.attach(new TestPlacement());
    stage.sourcePlacement.die("this was not it");
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    expect(await run.end).toMatchObject({ outcome: "refused", reason: "not now" });
    expect(stage.events).not.toContainEqual(expect.objectContaining({ type: "gone" }));
  });

  it("of the source before it began is known to it", async () => {
    const stage = await createStage();
    stage.sourcePlacement.die("killed");
    await eventually(() => expect(stage.events).toContainEqual(expect.objectContaining({ type: "gone" })));
    const end = { outcome: "aborted", phase: "propose", active: "none", reason: "the source is gone: killed" };
    expect(await stage.handOver().end).toMatchObject(end);
  });

  it("of the source in propose ends it: nobody is active", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.sourcePlacement.die("killed");
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "propose", active: "none" });
  });

  it("of both is said to be one", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await untilApply(stage, run);
    stage.sourcePlacement.die("killed");
    await stage.clock.advance(0);
    run.targetPlacement.die("killed too");
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "apply", active: "none" });
  });

  it("of the source's connection alone changes nothing: it comes back and stops", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    const target = await untilReady(stage, run);
    stage.source.cut();
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "disconnected" }));
    target.send({ type: "target-ready", payload: 5 });
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "phase", phase: "stop" }));
    const back = await ScriptedJob.connect(stage.sourceEnv);
    await back.hears("cutover-ready");
    back.send({ type: "source-stopped-output", payload: 6 });
    await target.hears("cutover-apply");
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed" });
  });
});

describe("an active instance that was gone and has been started again", () => {
  it("hands over when its new placement has been attached, and not before", async () => {
    const stage = await createStage("at once");
    const { worker, sourceEnv, sourcePlacement } = stage;
    sourcePlacement.die("exited with code 1");
    stage.source.cut();
    await eventually(() => expect(stage.events.map(({ type }) => type)).toContain("gone"));
    const again = await ScriptedJob.connect(sourceEnv);
    expect(await worker.dryRun("job-1")).toMatchObject({ outcome: "aborted", active: "none" });

    worker.jobs()[0]?.attach(new TestPlacement());
    const end = worker.dryRun("job-1");
    await again.hears("get-state");
    again.send({ type: "state", payload: 1 });
    expect(await end).toMatchObject({ outcome: "willing" });
  });

  it("writes under a newer epoch than a target that has died beside it", async () => {
    const stage = await createStage("at once", {}, helloV2);
    const run = stage.handOver({ sourceLost: "abort" });
    const { migrationId } = await stage.source.hears("get-state");
    stage.source.send({ type: "state", migrationId, seq: 1, payload: 1 });
    const target = await ScriptedJob.connect(await run.targetEnv, {}, helloV2);
    const { epoch } = await target.hears("hello-ack");
    stage.sourcePlacement.die("exited with code 1");
    stage.source.cut();
    expect(await run.end).toMatchObject({ outcome: "aborted", active: "none" });
    stage.worker.jobs()[0]?.attach(new TestPlacement());
    const again = await ScriptedJob.connect(stage.sourceEnv, {}, { ...helloV2, session: "another" });
    expect(Number((await again.hears("hello-ack"))["epoch"])).toBeGreaterThan(Number(epoch));
  });

  it("stays dead to a handover that has heard of its death", async () => {
    const stage = await createStage("at once");
    const run = stage.handOver();
    const target = await untilReady(stage, run);
    stage.sourcePlacement.die("exited with code 1");
    await eventually(() => expect(stage.events.map(({ type }) => type)).toContain("gone"));
    stage.worker.jobs()[0]?.attach(new TestPlacement());
    expect(stage.events).toContainEqual(expect.objectContaining({ type: "ignored", what: "attach" }));
    target.send({ type: "target-ready", payload: 5 });
    await target.hears("cutover-apply");
    target.send({ type: "target-applied" });
    expect(await run.end).toMatchObject({ outcome: "completed", sourceLost: "exited with code 1" });
  });
});

describe("a dry run", () => {
  it("asks for the state, tells its size and ends", async () => {
    const stage = await createStage();
    const dry = stage.worker.dryRun("job-1");
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: "x".repeat(998) });
    expect(await dry).toMatchObject({ outcome: "willing", stateBytes: 1_000 });
    expect(await stage.source.hears("abort")).toMatchObject({ reason: "it was a dry run" });
    expect(stage.source.types).toEqual(["hello-ack", "get-state", "abort"]);
  });

  it("passes a refusal on", async () => {
    const stage = await createStage();
    const dry = stage.worker.dryRun("job-1");
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    expect(await dry).toMatchObject({ outcome: "refused", reason: "not now" });
  });

  it("has a deadline", async () => {
    const stage = await createStage(undefined, {}, helloV2);
    const dry = stage.worker.dryRun("job-1", { deadlines: { propose: 50 } });
    await stage.source.hears("get-state");
    await stage.clock.advance(50);
    expect(await dry).toMatchObject({ outcome: "aborted", phase: "propose", active: "source" });
  });
});

describe("what cannot be right", () => {
  it("leaves all other jobs alone when a listener throws", async () => {
    const stage = await createStage();
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    stage.worker.subscribe(() => {
      throw new Error("a mistake");
    });
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "no" });
    expect(await run.end).toMatchObject({ outcome: "refused" });
    expect((await warned).message).toContain("a mistake");
  });

  it("says that the job is dead when its only instance dies between handovers", async () => {
    const stage = await createStage();
    stage.sourcePlacement.die("killed by SIGKILL");
    await eventually(() =>
      expect(stage.events).toContainEqual(
        expect.objectContaining({ type: "gone", side: "source", reason: "killed by SIGKILL" }),
      ),
    );
  });

  it("is possible again in the very event that ends a handover", async () => {
    const stage = await createStage();
    const again = new Promise((resolve) => {
      const stop = stage.worker.subscribe((event) => {
        if (event.type !== "ended") return;
        stop();
        resolve(stage.worker.handover("job-1", { placeTarget: async () => new TestPlacement() }));
      });
    });
    stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "first" });
    await stage.source.hears("get-state", 2);
    stage.source.send({ type: "state-refused", reason: "second" });
    expect(await again).toMatchObject({ outcome: "refused", reason: "second" });
  });

  it("begins once where two ask for it in one event, and the one that is cancelled at once ends", async () => {
    const stage = await createStage();
    const placeTarget = () => Promise.reject(new Error("never called"));
    const cancelled = new AbortController();
    const next = new Promise<Promise<HandoverEnd>[]>((resolve) => {
      const stop = stage.worker.subscribe((event) => {
        if (event.type !== "ended") return;
        stop();
        const both = [
          stage.worker.handover("job-1", { placeTarget, signal: cancelled.signal }),
          stage.worker.handover("job-1", { placeTarget }),
        ];
        cancelled.abort();
        resolve(both);
      });
    });
    const first = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await first.end;
    const [one, other] = await Promise.all(await next);
    expect(one).toMatchObject({ outcome: "aborted", phase: "propose", reason: expect.stringMatching(/^cancelled/) });
    expect(other).toMatchObject({ outcome: "refused", reason: expect.stringContaining("is in flight") });
  });

  it("is an error that names it", async () => {
    const stage = await createStage();
    const placeTarget = () => Promise.reject(new Error("never called"));
    await expect(stage.worker.handover("job-2", { placeTarget })).rejects.toThrow("job job-2 is not registered");
    await expect(stage.worker.handover("job-1", { placeTarget, deadlines: { stop: -1 } })).rejects.toThrow(
      "deadlines.stop is -1: it must be milliseconds between 0 and 2147483647",
    );
    expect(() => stage.worker.register("job-1")).toThrow("job job-1 is registered already");
    expect(() => stage.worker.register("\ud800")).toThrow("it is not well-formed Unicode");
    // @ts-expect-error A caller without types can do this.
    expect(() => stage.worker.register("job-2", { capabilities: [undefined] })).toThrow(
      "it must be an array of names without commas",
    );
    expect(() => stage.worker.register("")).toThrow('jobId is "": it must be a non-empty string');
    // @ts-expect-error A caller without types can do this.
    await expect(stage.worker.handover("job-1", { placeTarget, sourceLost: "promot" })).rejects.toThrow(
      'sourceLost is "promot": it must be "promote" or "abort"',
    );
    // @ts-expect-error A caller without types can do this.
    await expect(stage.worker.handover("job-1")).rejects.toThrow("handover needs options: at least placeTarget");
    // @ts-expect-error A caller without types can do this.
    await expect(stage.worker.handover("job-1", { placeTarget, signal: 5 })).rejects.toThrow(
      "signal is 5: it must be an AbortSignal",
    );
    // @ts-expect-error A caller without types can do this.
    expect(() => stage.worker.register("job-2", { capabilities: "gpu" })).toThrow(
      'capabilities is "gpu": it must be an array of names without commas',
    );
    // @ts-expect-error A caller without types can do this.
    await expect(stage.worker.handover("job-1", {})).rejects.toThrow("placeTarget is undefined: it must be a function");
    // @ts-expect-error A caller without types can do this.
    await expect(stage.worker.handover("job-1", { placeTarget, deadlines: null })).rejects.toThrow(
      "deadlines is null: it must be an object",
    );
    expect(stage.source.types).toEqual(["hello-ack"]);
  });
});
