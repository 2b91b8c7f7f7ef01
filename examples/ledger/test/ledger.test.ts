import { TestWorld, type Fault, type TestPlan } from "@changeover/migration-worker/testing";
import type { HandoverEnd } from "@changeover/migration-worker";
import { describe, expect, it } from "vitest";
import { startLedger } from "../src/ledger.js";
import { expectedStatements, MemoryStores } from "./memory-stores.js";

const phases = ["propose", "place", "ready", "stop", "apply", "commit"] as const;

/**
 * Hands a ledger over as planned, after a second and again after each end, and checks that there is a statement for each
 * payment, once, in order, and right.
 */
async function handOver(plan: TestPlan, latenciesMs = [3]): Promise<HandoverEnd[]> {
  const world: TestWorld = new TestWorld(({ env, options, signal }) => {
    const { payments, statements } = stores.seenBy(signal);
    return startLedger(payments, statements, env, { ...options, signal });
  }, plan);
  const stores = new MemoryStores(world.clock.sleep, latenciesMs);
  const ends: HandoverEnd[] = [];
  await world.start();
  while (ends.length < (plan.handovers ?? 1)) {
    const before = stores.statements.length;
    ends.push(await world.handover());
    await world.pause();
    expect(stores.statements.length, `the ledger goes on after ${world.trace}`).toBeGreaterThan(before);
  }
  world.stop();
  expect(stores.statements, `the statements after ${world.trace}`).toEqual(
    expectedStatements(stores.statements.length),
  );
  return ends;
}

/** The same at many moments of the ledger's work, with messages of which a later one may overtake an earlier one. */
async function handOverAtAnyMoment(plan: TestPlan, check: (ends: HandoverEnd[]) => void): Promise<void> {
  for (let pauseMs = 1_000; pauseMs < 1_300; pauseMs += 10)
    check(await handOver({ ...plan, pauseMs }, [40, 3, 80, 5, 9]));
}

describe("the ledger", () => {
  it("hands over again and again", async () => {
    const ends = await handOver({ handovers: 5 });
    expect(ends.map(({ outcome }) => outcome)).toEqual(Array(5).fill("completed"));
  });

  it.each(phases.slice(0, 4))("goes on when it is cancelled in %s", async (phase) => {
    const ends = await handOver({ cancelAt: phase, handovers: 2 });
    expect(ends).toMatchObject([{ outcome: "aborted", phase, active: "source" }, { outcome: "completed" }]);
  });

  it("is taken over by its target when its source dies before it has stopped", async () => {
    await handOverAtAnyMoment({ faults: [{ at: { frame: "cutover-ready" }, do: { crash: "source" } }] }, (ends) =>
      expect(ends).toMatchObject([{ outcome: "completed", sourceLost: expect.any(String) }]),
    );
  });

  it("resumes after all that a target has written that was not heard of, and was removed", async () => {
    const plan: TestPlan = { faults: [{ at: { frame: "target-applied" }, do: "stall" }], deadlines: { apply: 500 } };
    await handOverAtAnyMoment(plan, (ends) =>
      expect(ends).toMatchObject([{ outcome: "aborted", phase: "apply", active: "source" }]),
    );
  });

  it.each(phases)("is not troubled by a worker that is killed in %s", async (phase) => {
    const crash: Fault = { at: { phase }, do: { crash: "worker" } };
    const ends = await handOver({ faults: [crash], handovers: 2 });
    expect(ends.at(-1)).toMatchObject({ outcome: "completed" });
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))("loses and doubles nothing, by chance %d", async (seed) => {
    const ends = await handOver({ seed, handovers: 4, random: { probability: 0.1 } });
    expect(ends).toHaveLength(4);
  });
});
