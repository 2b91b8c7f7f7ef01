import type { HandoverEnd } from "../handover/end.js";
import type { TestJob } from "./test-instance.js";
import type { TestPlan } from "./test-plan.js";
import { TestWorld } from "./test-world.js";
import type { Trace } from "./trace.js";

/** What came of a test. */
export interface TestRun {
  /** How each handover ended. */
  readonly ends: readonly HandoverEnd[];
  /**
   * Who is active in the end, in the words of the last handover: `target` if that one has taken over, and `unknown` after
   * an end that is `indeterminate`.
   */
  readonly active: "source" | "target" | "none" | "unknown";
  /** What happened, in order: as a string it is readable, numbered and aligned. */
  readonly trace: Trace;
  /** With it, and the same plan, the run can be repeated. */
  readonly seed: number;
}

/**
 * Hands a job over in memory: with the worker that runs in production, its rules, time-outs and journal, but on a clock
 * that needs no time and a network that does to its messages what the plan says.
 *
 * A run is the same every time as long as the job takes time and chance from `options.clock` and `options.random`.
 *
 * @param job - Starts one instance of the job. It is called for the source and for every target.
 * @param plan - What goes wrong. Nothing by default.
 * @throws MigrationWorkerError `invalid-option`, naming the field of the plan.
 *
 * @example
 * ```ts
 * import { testHandover, type JobInstance } from "@changeover/migration-worker/testing";
 *
 * declare function startJob(instance: JobInstance): void;
 *
 * const run = await testHandover(startJob, {
 *   faults: [{ at: { frame: "cutover-apply" }, do: { crash: "target" } }],
 * });
 * console.log(run.ends[0]?.outcome, run.active, String(run.trace));
 * ```
 */
export async function testHandover(job: TestJob, plan: TestPlan = {}): Promise<TestRun> {
  const world = new TestWorld(job, plan);
  const ends: HandoverEnd[] = [];
  try {
    await world.start();
    const { handovers = 1, seed = 1 } = plan;
    do {
      ends.push(await world.handover());
      await world.pause();
    } while (ends.length < handovers && world.hasActive);
    return { ends, active: activeAfter(ends.at(-1), world.hasActive), trace: world.trace, seed };
  } finally {
    world.trace.close();
    world.stop();
  }
}

function activeAfter(end: HandoverEnd | undefined, hasActive: boolean): TestRun["active"] {
  if (end?.outcome === "indeterminate") return "unknown";
  if (!hasActive) return "none";
  return end?.outcome === "completed" ? "target" : "source";
}
