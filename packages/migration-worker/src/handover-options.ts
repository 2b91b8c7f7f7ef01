import { MigrationWorkerError } from "./errors.js";
import { withDefaults, type Deadlines } from "./handover/deadlines.js";
import type { SourceLost } from "./handover/handover.js";
import type { HandoverOptions, OnIndeterminate } from "./migration-worker.js";
import type { PlaceTarget } from "./placement.js";

export interface CheckedHandoverOptions {
  placeTarget: PlaceTarget;
  deadlines: Deadlines;
  sourceLost: SourceLost;
  onIndeterminate: OnIndeterminate;
  isDryRun: boolean;
  signal: AbortSignal | undefined;
}

/** @throws MigrationWorkerError `invalid-option`, before any instance hears of the handover. */
export function checkHandoverOptions(options: HandoverOptions): CheckedHandoverOptions {
  if (typeof options !== "object" || options === null) {
    throw new MigrationWorkerError("invalid-option", "handover needs options: at least placeTarget");
  }
  const { placeTarget, deadlines, sourceLost = "promote", onIndeterminate = "hold", signal } = options;
  if (typeof placeTarget !== "function") {
    throw new MigrationWorkerError("invalid-option", `placeTarget is ${typeof placeTarget}: it must be a function`);
  }
  if (sourceLost !== "promote" && sourceLost !== "abort") {
    const message = `sourceLost is ${JSON.stringify(sourceLost)}: it must be "promote" or "abort"`;
    throw new MigrationWorkerError("invalid-option", message);
  }
  if (onIndeterminate !== "hold" && onIndeterminate !== "resume") {
    const message = `onIndeterminate is ${JSON.stringify(onIndeterminate)}: it must be "hold" or "resume"`;
    throw new MigrationWorkerError("invalid-option", message);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new MigrationWorkerError("invalid-option", `signal is ${JSON.stringify(signal)}: it must be an AbortSignal`);
  }
  return { placeTarget, deadlines: withDefaults(deadlines), sourceLost, onIndeterminate, isDryRun: false, signal };
}
