import { describe, expect, it, onTestFailed } from "vitest";
import { PHASES } from "../../src/handover/end.js";
import { testHandover, type TestPlan, type TestRun } from "../../src/testing/index.js";
import { counterJob, newOutput, type Output } from "./counter-job.js";

interface Result extends TestRun {
  readonly output: Output;
}

async function run(plan: TestPlan): Promise<Result> {
  const output = newOutput();
  const result = await testHandover(counterJob(output), plan);
  onTestFailed(() => void process.stderr.write(`${result.trace}\n`));
  return { ...result, output };
}

/** Nothing was doubled or lost, and never were two active. */
function expectSound({ output }: Result): void {
  const numbers = output.lines.map(({ n }) => n);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(output.mostActive).toBe(1);
}

function expectLine({ trace }: Result, line: RegExp): void {
  expect(String(trace)).toMatch(line);
}

describe("a message", () => {
  it("that is dropped is sent again on the next connection", async () => {
    const result = await run({ faults: [{ at: { frame: "cutover-ready" }, do: "drop" }] });
    expect(result.ends).toMatchObject([{ outcome: "completed" }]);
    expectSound(result);
    expectLine(result, /W -> S {2}cutover-ready \{m-1, .*\} {6}fault: drop, lost: dropped\n/);
    expectLine(result, /log: job: closed with 1006: connecting again in \d+ ms\n/);
  });

  it("takes what follows it in its direction along when it is dropped", async () => {
    const result = await run({ faults: [{ at: { frame: "state", from: "source" }, do: "drop" }] });
    expect(result.ends).toMatchObject([{ outcome: "completed" }]);
    expectSound(result);
  });

  it("that is repeated is taken once", async () => {
    const result = await run({
      faults: [
        { at: { frame: "get-state" }, do: "repeat" },
        { at: { frame: "target-ready" }, do: "repeat" },
        { at: { frame: "source-stopped-output" }, do: "repeat" },
        { at: { frame: "cutover-apply" }, do: "repeat" },
      ],
    });
    expect(result.ends).toMatchObject([{ outcome: "completed" }]);
    expectSound(result);
    expectLine(result, /report-ack \{seq: 2, ignored: "it has been taken already"\}/);
  });

  it("that is late keeps its place, and the handover waits for it", async () => {
    const result = await run({ faults: [{ at: { frame: "cutover-apply", to: "target" }, do: { delayMs: 4_000 } }] });
    expect(result.ends).toMatchObject([{ outcome: "completed", phasesMs: { apply: 4_002 } }]);
    expectSound(result);
  });

  it("that is later than its deadline ends the handover", async () => {
    const result = await run({ faults: [{ at: { frame: "cutover-apply" }, do: { delayMs: 10_001 } }] });
    expect(result.ends).toMatchObject([{ outcome: "aborted", phase: "apply", active: "source" }]);
    expect(result.active).toBe("source");
    expectSound(result);
  });

  it("is lost with a connection that is cut, and sent again on the next", async () => {
    const result = await run({ faults: [{ at: { frame: "target-applied" }, do: "cut" }] });
    expect(result.ends).toMatchObject([{ outcome: "completed" }]);
    expectSound(result);
    expectLine(result, /target-applied \{m-1, seq: 2\} {6}fault: cut, lost: the connection was cut\n/);
  });

  it("that stalls its connection is missed by the worker's deadline", async () => {
    const result = await run({ faults: [{ at: { frame: "source-stopped-output" }, do: "stall" }], pauseMs: 30_000 });
    expect(result.ends).toMatchObject([{ outcome: "aborted", phase: "stop", active: "source" }]);
    expectSound(result);
    expectLine(result, /log: job: no sign of life from the worker within 20000 ms/);
  });

  it("is counted: only the one that is meant is lost", async () => {
    const result = await run({ faults: [{ at: { frame: "get-state", nth: 2 }, do: "cut" }], handovers: 2 });
    expect(result.ends).toMatchObject([{ outcome: "completed" }, { outcome: "completed" }]);
    expectLine(result, /get-state \{m-2, .*fault: cut/);
    expectSound(result);
  });
});

describe("a connection", () => {
  it.each(PHASES)("that is cut in %s costs nothing", async (phase) => {
    const result = await run({ faults: [{ at: { phase }, do: "cut" }] });
    expect(result.ends).toMatchObject([{ outcome: "completed" }]);
    expectSound(result);
  });
});

describe("a target that crashes", () => {
  it.each(["initial-state", "target-ready", "cutover-apply"] as const)("at %s leaves the source", async (frame) => {
    const result = await run({ faults: [{ at: { frame }, do: { crash: "target" } }] });
    expect(result.ends).toMatchObject([{ outcome: "aborted", active: "source" }]);
    expect(result.active).toBe("source");
    expectSound(result);
    expectLine(result, /T {7}crashes\n/);
  });
});

describe("a source that crashes", () => {
  it("once its target is ready is succeeded by it", async () => {
    const result = await run({ faults: [{ at: { frame: "cutover-ready" }, do: { crash: "source" } }] });
    expect(result.ends).toMatchObject([{ outcome: "completed", sourceLost: "crashed" }]);
    expect(result.active).toBe("target");
  });

  it("is not, where the control plane wants an end instead", async () => {
    const result = await run({
      faults: [{ at: { frame: "cutover-ready" }, do: { crash: "source" } }],
      sourceLost: "abort",
      handovers: 3,
    });
    expect(result.ends).toMatchObject([{ outcome: "aborted", active: "none" }]);
    expect(result.active).toBe("none");
  });
});

describe("a worker that crashes", () => {
  it.each(["propose", "place", "ready", "stop", "apply"] as const)("in %s ends it after its restart", async (phase) => {
    const result = await run({ faults: [{ at: { phase }, do: { crash: "worker" } }], pauseMs: 5_000, handovers: 2 });
    expect(result.ends).toMatchObject([
      { outcome: "aborted", phase, active: "source", reason: "the worker was restarted" },
      { outcome: "completed" },
    ]);
    expectSound(result);
  });

  it("in commit knows the target as the active instance after its restart", async () => {
    const result = await run({
      faults: [{ at: { phase: "commit" }, do: { crash: "worker", restartAfterMs: 100 } }],
      pauseMs: 5_000,
      handovers: 2,
    });
    expect(result.ends).toMatchObject([{ outcome: "completed" }, { outcome: "completed" }]);
    expectSound(result);
  });

  it("before it reads target-applied fences the target that has taken over", async () => {
    const result = await run({ faults: [{ at: { frame: "target-applied" }, do: { crash: "worker" } }] });
    expect(result.ends).toMatchObject([{ outcome: "aborted", phase: "apply", active: "source" }]);
    expect(result.output.mostActive).toBe(1);
  });
});

describe("what a control plane does", () => {
  it("cancels", async () => {
    const result = await run({ cancelAt: "stop", pauseMs: 5_000, handovers: 2 });
    expect(result.ends).toMatchObject([
      { outcome: "aborted", phase: "stop", reason: "cancelled: by the plan" },
      { outcome: "completed" },
    ]);
    expectSound(result);
  });

  it("cannot remove a target that may be active, and holds the source", async () => {
    const result = await run({ removal: "fails", faults: [{ at: { frame: "target-applied" }, do: "stall" }] });
    expect(result.ends).toMatchObject([{ outcome: "indeterminate", phase: "apply" }]);
    expect(result.active).toBe("unknown");
    expect(result.output.mostActive).toBe(1);
  });

  it("or lets it resume", async () => {
    const result = await run({
      removal: "fails",
      onIndeterminate: "resume",
      faults: [{ at: { frame: "target-applied" }, do: "stall" }],
    });
    expect(result.ends).toMatchObject([{ outcome: "indeterminate", phase: "apply" }]);
    expect(result.output.mostActive).toBe(2);
  });
});
