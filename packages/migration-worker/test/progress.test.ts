import { describe, expect, it, onTestFinished } from "vitest";
import { trackProgress, type ProgressTracker } from "../src/observe/progress.js";
import { createStage, untilApply, untilReady, type Stage } from "./stage.js";

function track({ worker, clock }: Stage): ProgressTracker {
  const progress = trackProgress(worker, { clock });
  onTestFinished(() => progress.stop());
  return progress;
}

describe("progress", () => {
  it("says where a handover stands and what is left of its phase", async () => {
    const stage = await createStage();
    const progress = track(stage);
    expect(progress.list()).toEqual([]);
    const run = stage.handOver({ deadlines: { propose: 100, ready: 400 } });
    await stage.source.hears("get-state");
    await stage.clock.advance(30);
    const [proposed] = progress.list();
    expect(proposed).toEqual({
      jobId: "job-1",
      migrationId: proposed?.migrationId,
      phase: "propose",
      elapsedMs: 30,
      phaseElapsedMs: 30,
      phaseLeftMs: 70,
      isAborting: false,
    });
    const target = await untilReady(stage, run);
    await stage.clock.advance(50);
    expect(progress.list()).toMatchObject([
      { phase: "ready", elapsedMs: 80, phaseElapsedMs: 50, phaseLeftMs: 350, isAborting: false },
    ]);
    target.send({ type: "target-ready", payload: null });
    await stage.source.hears("cutover-ready");
    stage.source.send({ type: "source-stopped-output", payload: null });
    await target.hears("cutover-apply");
    target.send({ type: "target-applied" });
    expect((await run.end).migrationId).toBe(proposed?.migrationId);
    expect(progress.list()).toEqual([]);
  });

  it("forgets a handover that was refused", async () => {
    const stage = await createStage();
    const progress = track(stage);
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "not now" });
    await run.end;
    expect(progress.list()).toEqual([]);
  });

  it("says that a handover has been given up until what it began has been removed", async () => {
    const stage = await createStage("hangs");
    const progress = track(stage);
    const run = stage.handOver({ deadlines: { apply: 100 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(20);
    const [fencing] = progress.list();
    expect(fencing).toMatchObject({ phase: "apply", elapsedMs: 120, isAborting: true });
    expect(fencing).not.toHaveProperty("phaseLeftMs");
    run.targetPlacement.die("killed");
    expect(await run.end).toMatchObject({ outcome: "aborted" });
    expect(progress.list()).toEqual([]);
  });

  it("learns of a handover that had begun before at its next phase", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    await stage.clock.advance(30);
    const progress = track(stage);
    expect(progress.list()).toEqual([]);
    await untilReady(stage, run);
    await stage.clock.advance(5);
    expect(progress.list()).toMatchObject([{ phase: "ready", elapsedMs: 5 }]);
  });

  it("forgets everything when it is stopped", async () => {
    const stage = await createStage();
    const progress = track(stage);
    const run = stage.handOver();
    await stage.source.hears("get-state");
    progress.stop();
    expect(progress.list()).toEqual([]);
    await untilReady(stage, run);
    expect(progress.list()).toEqual([]);
  });

  it("reads the clock of the machine by default", async () => {
    const stage = await createStage();
    const progress = trackProgress(stage.worker);
    onTestFinished(() => progress.stop());
    stage.handOver();
    // This worker's clock began at 0.
    expect(progress.list()[0]?.elapsedMs).toBeGreaterThan(1_700_000_000_000);
  });
});
