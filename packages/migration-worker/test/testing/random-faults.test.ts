import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { HandoverEnd } from "../../src/handover/end.js";
import { TestWorld } from "../../src/testing/index.js";
import { counterJob, newOutput } from "./counter-job.js";
import { broken } from "./oracle.js";
import { planArbitrary } from "./plan-arbitrary.js";

// A failure says its seed and path: with both, and only then, FAST_CHECK_SEED and FAST_CHECK_PATH replay it.
const { FAST_CHECK_RUNS = "200", FAST_CHECK_SEED: seed, FAST_CHECK_PATH: path } = process.env;
const parameters = {
  numRuns: Number(FAST_CHECK_RUNS),
  ...(seed !== undefined && path !== undefined && { seed: Number(seed), path, endOnFailure: true }),
};
/** Long enough for every deadline, every silence and every slow reconnect to be over. */
const recoveryMs = 150_000;
/** Seldom enough to leave the time to what this is about. */
const tickMs = 500;

const figures = { runs: 0, messages: 0, faults: 0, ends: new Map<string, number>() };

afterAll(() => {
  const ends = [...figures.ends].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  const { runs, messages, faults } = figures;
  process.stdout.write(`fast-check: ${runs} runs, ${messages} messages, ${faults} faults, ends: ${ends}\n`);
});

it("holds what is promised whatever goes wrong, in every order of arrival", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(
    planArbitrary,
    fc.boolean(),
    fc.scheduler(),
    async (plan, isReordered, scheduler) => {
      const output = newOutput();
      const deliver = (run: () => void, description: string): void => {
        void scheduler.schedule(Promise.resolve(), description).then(run);
      };
      const world = new TestWorld(counterJob(output, {}, tickMs), plan, {
        awaitRealIo: false,
        ...(isReordered && { deliver }),
      });
      const ends: HandoverEnd[] = [];
      const scenario = async (): Promise<void> => {
        await world.start();
        while (ends.length < (plan.handovers ?? 1) && world.hasActive) {
          ends.push(await world.handover());
          await world.pause();
        }
        world.heal();
        await world.pause(recoveryMs);
        if (!world.hasActive) return;
        expect(output.active.size).toBe(1);
        const last = await world.handover();
        ends.push(last);
        expect(last).toMatchObject({ outcome: "completed" });
        await world.pause(1_000);
        expect(output.active.size).toBe(1);
      };
      try {
        await (isReordered ? scheduler.waitFor(scenario()) : scenario());
        expect(broken(output, ends, world.trace).join("; ")).toBe("");
      } catch (error) {
        throw new Error(`${String(error)}\n${world.trace}`, { cause: error });
      } finally {
        world.stop();
        figures.runs++;
        figures.messages += world.counts.messages;
        figures.faults += world.counts.faults;
        for (const { outcome } of ends) figures.ends.set(outcome, (figures.ends.get(outcome) ?? 0) + 1);
      }
    },
  );
  await fc.assert(property, parameters);
});
