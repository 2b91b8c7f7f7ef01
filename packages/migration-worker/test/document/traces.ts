import { connectMigration, stateRefusal } from "@changeover/migration-client";
import { testHandover, type JobInstance, type TestPlan } from "../../src/testing/index.js";

interface Scenario {
  readonly title: string;
  readonly plan: TestPlan;
  readonly refuses?: string;
}

const cancelledIn = (phase: NonNullable<TestPlan["cancelAt"]>): Scenario => ({
  title: `An abort in \`${phase}\``,
  plan: { cancelAt: phase },
});

const cutIn = (phase: NonNullable<TestPlan["cancelAt"]>): Scenario => ({
  title: `A reconnect in \`${phase}\`: every connection is lost as it begins`,
  plan: { faults: [{ at: { phase }, do: "cut" }] },
});

const scenarios: readonly Scenario[] = [
  { title: "A clean handover", plan: {} },
  { title: "A refusal", plan: {}, refuses: "an advert is on air" },
  cancelledIn("propose"),
  cancelledIn("place"),
  cancelledIn("ready"),
  { ...cancelledIn("stop"), title: "An abort in `stop`, and a report that crosses it" },
  {
    title: "An abort in `apply`: the target is silent, and is fenced before the source resumes",
    plan: { faults: [{ at: { frame: "cutover-apply" }, do: "stall" }], deadlines: { apply: 2_000 } },
  },
  {
    title: "The target dies after it was told to take over: the source resumes under a newer epoch",
    plan: { faults: [{ at: { frame: "cutover-apply" }, do: { crash: "target" } }] },
  },
  {
    title: "The source dies before it has stopped: the target takes over from its own position",
    plan: { faults: [{ at: { frame: "cutover-ready" }, do: { crash: "source" } }] },
  },
  {
    title: "A command that arrives twice",
    plan: { faults: [{ at: { frame: "cutover-ready" }, do: "repeat" }] },
  },
  {
    title: "An acknowledgement that is lost with its connection",
    plan: { faults: [{ at: { frame: "report-ack", to: "source", nth: 2 }, do: "cut" }] },
  },
  cutIn("propose"),
  cutIn("place"),
  cutIn("ready"),
  cutIn("stop"),
  cutIn("apply"),
  cutIn("commit"),
  {
    title: "The worker dies in `apply`, and another one goes on from its journal",
    plan: { faults: [{ at: { phase: "apply" }, do: { crash: "worker", restartAfterMs: 500 } }] },
  },
];

/** Traces of the real client and worker, as numbered lines. */
export async function formatTraces(): Promise<string> {
  const parts: string[] = [];
  let clean: readonly string[] = [];
  for (const [i, { title, plan, refuses }] of scenarios.entries()) {
    const { trace } = await testHandover((instance) => startEncoder(instance, refuses), plan);
    const entries = trace.entries.filter(({ what }) => !isNoise(what));
    const width = String(entries.length).length;
    const lines = entries.map(({ from = " ", to, what, notes }) => {
      const fate = notes.length === 0 ? "" : `      ${notes.join(", ")}`;
      return `${from}${to ? ` -> ${to}` : "     "}  ${what}${fate}`;
    });
    if (i === 0) clean = lines;
    const differsAt = i === 0 ? 0 : lines.findIndex((line, index) => line !== clean[index]);
    const numbered = lines.map((line, index) => `    ${String(index + 1).padEnd(width)}  ${line}`).slice(differsAt);
    if (differsAt > 0) numbered.unshift(`    1 to ${differsAt} as in a clean handover`);
    parts.push(`### ${i + 1}. ${title}\n\n${numbered.join("\n")}`);
  }
  return parts.join("\n\n");
}

/** What the job logs, and when a phase begins, can be seen from the messages. */
function isNoise(what: string): boolean {
  return what.startsWith("log: ") || what.startsWith("phase ");
}

/** A job that makes a number every 40 ms, and prepares for 200 ms before it can take over. */
async function startEncoder({ env, options, signal }: JobInstance, refuses?: string): Promise<void> {
  let n = 1_200;
  let isActive = false;
  const later = (run: () => void, ms: number): void => {
    options.clock.setTimer(() => {
      if (!signal.aborted) run();
    }, ms);
  };
  const job = connectMigration(
    {
      onGetState: () => (refuses === undefined ? { n } : stateRefusal(refuses)),
      onInitialState: (state: { n: number }) => later(() => job.reportReady({ n: state.n + 5 }), 200),
      onCutoverReady: (target: { n: number }) => {
        isActive = false;
        n = Math.max(n, target.n);
        job.reportStoppedOutput({ n });
      },
      onCutoverApply: (stopped: { n: number }) => {
        n = stopped.n;
        isActive = true;
        job.reportApplied();
      },
      onAbort: () => {
        isActive = job.role === "source";
      },
    },
    env,
    options,
  );
  const tick = (): void => {
    if (isActive) n += 1;
    later(tick, 40);
  };
  tick();
  isActive = (await job.ready) === "source";
}
