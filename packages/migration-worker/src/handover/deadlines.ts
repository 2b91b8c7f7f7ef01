import { DEFAULT_DEADLINES_MS } from "@changeover/migration-protocol";
import { MigrationWorkerError } from "../errors.js";
import type { Step, StepName } from "./handover.js";

/** How long each phase may take, in milliseconds; `fencing` bounds the wait for an instance that is being removed. */
export type Deadlines = { [K in keyof typeof DEFAULT_DEADLINES_MS]: number };

// setTimeout fires at once for anything longer.
const maxTimerMs = 2 ** 31 - 1;

/** @throws MigrationWorkerError `invalid-option` */
export function withDefaults(deadlines: Partial<Deadlines> = {}): Deadlines {
  if (typeof deadlines !== "object" || deadlines === null) {
    throw new MigrationWorkerError("invalid-option", `deadlines is ${String(deadlines)}: it must be an object`);
  }
  for (const [name, value] of Object.entries(deadlines)) {
    if (!Object.hasOwn(DEFAULT_DEADLINES_MS, name)) {
      const known = Object.keys(DEFAULT_DEADLINES_MS).join(", ");
      throw new MigrationWorkerError("invalid-option", `deadlines.${name} is not a deadline: use ${known}`);
    }
    if (!(Number.isFinite(value) && value > 0 && value <= maxTimerMs)) {
      const message = `deadlines.${name} is ${value}: it must be milliseconds between 0 and ${maxTimerMs}`;
      throw new MigrationWorkerError("invalid-option", message);
    }
  }
  return { ...DEFAULT_DEADLINES_MS, ...deadlines };
}

const deadlineOfStep: Record<StepName, keyof Deadlines> = {
  "propose.waiting": "propose",
  propose: "propose",
  place: "place",
  "place.ready": "place",
  ready: "ready",
  "stop.waiting": "stop",
  stop: "stop",
  "apply.waiting": "apply",
  apply: "apply",
  "commit.waiting": "fencing",
  commit: "fencing",
  fence: "fencing",
  clear: "fencing",
};

/** The deadline of a step, or `undefined` where nothing is waited for. */
export function deadlineOf(step: Step, deadlines: Deadlines): number | undefined {
  return step.at === "ended" ? undefined : deadlines[deadlineOfStep[step.at]];
}
