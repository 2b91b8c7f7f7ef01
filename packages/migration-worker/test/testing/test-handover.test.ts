import { connectMigration, stateRefusal } from "@changeover/migration-client";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { testHandover, VirtualClock, type TestPlan } from "../../src/testing/index.js";
import { counterJob, newOutput } from "./counter-job.js";

describe("a job in memory", () => {
  it("hands over again and again, and no time passes", async () => {
    const output = newOutput();
    const startedAt = performance.now();
    const run = await testHandover(counterJob(output), { handovers: 5, pauseMs: 60_000 });
    expect(run.ends.map(({ outcome }) => outcome)).toEqual(Array(5).fill("completed"));
    expect(run.active).toBe("target");
    expect(output.lines.map(({ n }) => n)).toEqual(output.lines.map((_, index) => index));
    expect(output.lines.length).toBeGreaterThan(3_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("can refuse", async () => {
    const job = counterJob(newOutput(), { onGetState: () => stateRefusal("an advert is on air") });
    const { ends, active } = await testHandover(job);
    expect(ends).toMatchObject([{ outcome: "refused", reason: "an advert is on air" }]);
    expect(active).toBe("source");
  });

  it.each([
    ["reportStoppedOutput", { onCutoverReady: () => {} }, "stop", 10_000],
    ["reportReady", { onInitialState: () => {} }, "ready", 60_000],
    ["reportApplied", { onCutoverApply: () => {} }, "apply", 10_000],
  ])("that forgets %s meets the deadline", async (_name, handlers, phase, afterMs) => {
    const { ends, active } = await testHandover(counterJob(newOutput(), handlers));
    expect(ends).toMatchObject([
      { outcome: "aborted", phase, reason: expect.stringContaining(`within ${afterMs} ms`) },
    ]);
    expect(active).toBe("source");
  });

  it("that fails to start is gone", async () => {
    let starts = 0;
    const source = counterJob(newOutput());
    const run = await testHandover((instance) => {
      if (starts++ > 0) throw new Error("no licence");
      return source(instance);
    });
    const reason = "the target is gone: the job failed: no licence";
    expect(run.ends).toMatchObject([{ outcome: "aborted", reason, active: "source" }]);
  });

  it("may do real I/O in its handlers: no deadline passes meanwhile", async () => {
    const readSlowly = async (): Promise<number> => {
      let bytes = 0;
      for (let i = 0; i < 50; i++) bytes += (await readFile(new URL(import.meta.url))).length;
      return bytes;
    };
    const { ends } = await testHandover(
      counterJob(newOutput(), { onGetState: async () => ({ n: await readSlowly() }) }),
    );
    expect(ends).toMatchObject([{ outcome: "completed" }]);
  });

  it("is told when it is removed", async () => {
    const removed: string[] = [];
    await testHandover(({ env, options, signal }) => {
      signal.addEventListener("abort", () => removed.push(String(signal.reason.message)));
      connectMigration({}, env, options);
    });
    expect(removed).toEqual(["the test is over"]);
  });
});

describe("a run", () => {
  const plan: TestPlan = { seed: 7, random: { probability: 0.15 }, handovers: 4, pauseMs: 3_000 };
  const traceOf = async (seed: number): Promise<string> => {
    return String((await testHandover(counterJob(newOutput()), { ...plan, seed })).trace);
  };

  it("is the same run with the same seed, and another one with another", async () => {
    const trace = await traceOf(7);
    expect(trace).toMatch(/^seed 7\n1 +0 ms {2}S {7}is started\n/);
    expect(trace).toContain("fault: ");
    expect(await traceOf(7)).toBe(trace);
    expect(await traceOf(8)).not.toBe(trace);
  });

  it("shows no token", async () => {
    const tokens: string[] = [];
    const job = counterJob(newOutput());
    const { trace } = await testHandover((instance) => {
      tokens.push(instance.env["NORSK_WORKER_TOKEN"] ?? "");
      return job(instance);
    }, plan);
    expect(tokens.length).toBeGreaterThan(1);
    for (const token of tokens) expect(String(trace)).not.toContain(token);
  });
});

describe("a plan", () => {
  const bad = (plan: object): Promise<unknown> => testHandover(() => {}, plan);

  it.each([
    [{ seed: 0.5 }, "seed is 0.5: it must be an integer"],
    [{ handovers: 0 }, "handovers is 0: it must be at least 1"],
    [{ fault: [] }, "plan.fault is []: there is no such field: use seed, faults, "],
    [
      { faults: [{ at: { frame: "cutover" }, do: "drop" }] },
      'faults[0].at.frame is "cutover": it must be one of hello',
    ],
    [{ faults: [{ at: { frame: "state", nth: 0 }, do: "drop" }] }, "faults[0].at.nth is 0"],
    [{ faults: [{ at: { frame: "state", from: "me" }, do: "drop" }] }, 'faults[0].at.from is "me"'],
    [{ faults: [{ at: { frame: "state" }, do: "lose" }] }, 'faults[0].do is "lose": it must be one of drop, repeat'],
    [{ faults: [{ at: { frame: "state" }, do: { delayMs: -1 } }] }, "faults[0].do.delayMs is -1"],
    [{ faults: [{ at: { phase: "stop" }, do: "drop" }] }, 'faults[0].do is "drop": it must be one of cut, stall'],
    [{ faults: [{ at: { phase: "stopping" }, do: "cut" }] }, 'faults[0].at.phase is "stopping"'],
    [
      { faults: [{ at: { phase: "stop" }, do: { crash: "source", restartAfterMs: 1 } }] },
      "faults[0].do.restartAfterMs is 1: only a worker comes back",
    ],
    [{ random: { probability: 2 } }, "random.probability is 2: it must be a number from 0 to 1"],
    [{ random: { probability: 1, do: ["burn"] } }, 'random.do[0] is "burn"'],
    [{ deadlines: { stop: 0 } }, "deadlines.stop is 0"],
    [{ removal: "never" }, 'removal is "never"'],
    [{ cancelAt: "end" }, 'cancelAt is "end"'],
    [{ latencyMs: "1" }, 'latencyMs is "1"'],
  ])("%j is refused by the name of its field", async (plan, message) => {
    await expect(bad(plan)).rejects.toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining(message),
    });
  });
});

describe("a virtual clock", () => {
  it("jumps from timer to timer, the older of two first, and stands still when nobody waits", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(() => fired.push(`b at ${clock.now()}`), 1_000);
    clock.setTimer(() => fired.push(`c at ${clock.now()}`), 1_000);
    clock.setTimer(() => fired.push(`a at ${clock.now()}`), 500);
    clock.setTimer(() => fired.push("never"), 2_000)();
    await clock.runUntil(clock.sleep(86_400_000));
    expect(fired).toEqual(["a at 500", "b at 1000", "c at 1000"]);
    clock.setTimer(() => fired.push("not yet"), 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toHaveLength(3);
  });

  it("hands on what it waits for, also when that fails", async () => {
    const clock = new VirtualClock();
    expect(await clock.runUntil(Promise.resolve(1))).toBe(1);
    await expect(clock.runUntil(Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});
