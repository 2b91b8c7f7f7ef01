import { PHASES, type Phase } from "./handover/end.js";
import { mayBeActive, mayHaveStopped, type Handover, type Step } from "./handover/transition.js";
import type { Instance } from "./job.js";
import type { InFlight } from "./journal.js";

/** What must be known of a handover should the worker die at this step; nothing where it has ended without a trace. */
export function inFlightAt(
  { step, migrationId, sourceGone }: Handover,
  target: Instance | undefined,
): InFlight | undefined {
  const phase = phaseOf(step);
  if (phase === undefined) return undefined;
  return {
    migrationId,
    phase,
    ...(target === undefined ? {} : { target: { tokenHash: target.tokenHash, epoch: target.epoch } }),
    mayBeActive: mayBeActive(step),
    mayHaveStopped: mayHaveStopped(step),
    isSourceGone: sourceGone !== undefined,
  };
}

function phaseOf(step: Step): Phase | undefined {
  if (step.at === "fence" || step.at === "clear") return step.phase;
  if (step.at === "ended") {
    if (step.end.outcome === "completed") return "commit";
    return step.end.outcome === "indeterminate" ? step.end.phase : undefined;
  }
  return PHASES.find((phase) => phase === step.at);
}
