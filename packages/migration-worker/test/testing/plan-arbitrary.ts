import * as fc from "fast-check";
import { PHASES } from "../../src/handover/end.js";
import type { Crash, Fault, FrameName, MessageFault, Party, TestPlan } from "../../src/testing/index.js";

const frames: FrameName[] = [
  ...(["hello", "hello-ack", "get-state", "state", "initial-state", "target-ready", "cutover-ready"] as const),
  ...(["source-stopped-output", "cutover-apply", "target-applied", "committed", "abort", "report-ack"] as const),
];

const crash: fc.Arbitrary<Crash> = fc.oneof(
  fc.constantFrom<Party>("source", "target").map((party) => ({ crash: party })),
  fc.nat({ max: 20_000 }).map((restartAfterMs) => ({ crash: "worker" as const, restartAfterMs })),
);

const messageFault: fc.Arbitrary<MessageFault | Crash> = fc.oneof(
  fc.constantFrom<MessageFault>("drop", "repeat", "cut", "stall"),
  fc.nat({ max: 15_000 }).map((delayMs) => ({ delayMs })),
  crash,
);

const nth = fc.integer({ min: 1, max: 3 });

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ at: fc.record({ frame: fc.constantFrom(...frames), nth }), do: messageFault }),
  fc.record({
    at: fc.record({ phase: fc.constantFrom(...PHASES), nth }),
    do: fc.oneof(fc.constantFrom("cut" as const, "stall" as const), crash),
  }),
);

/** Plans of all kinds, with a few faults at chosen messages or phases, and at random on top of it. */
export const planArbitrary: fc.Arbitrary<TestPlan> = fc.record(
  {
    seed: fc.nat(),
    faults: fc.array(fault, { maxLength: 4 }),
    random: fc.record({ probability: fc.constantFrom(0.02, 0.1) }),
    handovers: fc.integer({ min: 1, max: 3 }),
    pauseMs: fc.constantFrom(500, 5_000, 40_000),
    sourceLost: fc.constantFrom("promote" as const, "abort" as const),
    removal: fc.constantFrom("works" as const, "fails" as const),
    cancelAt: fc.constantFrom(...PHASES),
  },
  { requiredKeys: ["seed", "faults", "handovers", "pauseMs"] },
);
