import type { HandoverEnd, Phase } from "@changeover/migration-worker";
import { roundMs } from "../demo/report.js";

/** What `changeover dev --json` prints of a handover. */
export interface HandoverReport {
  outcome: HandoverEnd["outcome"];
  /** The phase in which it failed. */
  phase?: Phase;
  /** Why it failed, or why an abort that was asked for did not happen. */
  reason?: string;
  phasesMs: Partial<Record<Phase, number>>;
  /** Which of the two instances is active now; `unknown` after `indeterminate`. */
  active: "source" | "target" | "none" | "unknown";
}

/** `lateAbort` is why the worker did not take a cancellation. */
export function reportOn(end: HandoverEnd, lateAbort: string | undefined): HandoverReport {
  const phasesMs = Object.fromEntries(Object.entries(end.phasesMs).map(([phase, ms]) => [phase, roundMs(ms)]));
  switch (end.outcome) {
    case "completed": {
      const reason = end.sourceLost ?? (lateAbort === undefined ? undefined : `too late to abort: ${lateAbort}`);
      return { outcome: end.outcome, ...(reason === undefined ? {} : { reason }), phasesMs, active: "target" };
    }
    case "willing":
      return { outcome: end.outcome, phasesMs, active: "source" };
    case "refused":
      return { outcome: end.outcome, reason: end.reason, phasesMs, active: "source" };
    case "aborted":
      return { outcome: end.outcome, phase: end.phase, reason: end.reason, phasesMs, active: end.active };
    case "indeterminate":
      return { outcome: end.outcome, phase: end.phase, reason: end.reason, phasesMs, active: "unknown" };
  }
}

/**
 * Whether a handover ended as it was asked to. An abort that comes after the source has stopped is too late by the rules,
 * and that the handover then completes is what was asked.
 */
export function endedAsAsked(end: HandoverEnd, abortAt: Phase | undefined, lateAbort: string | undefined): boolean {
  const isLate = abortAt === "apply" || abortAt === "commit";
  if (abortAt === undefined || isLate) {
    return end.outcome === "completed" && end.sourceLost === undefined && (!isLate || lateAbort !== undefined);
  }
  const { outcome } = end;
  return (
    outcome === "aborted" && end.phase === abortAt && end.active === "source" && end.reason.startsWith("cancelled:")
  );
}
