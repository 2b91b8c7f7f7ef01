/** The phases of a handover, in order. */
export const PHASES = ["propose", "place", "ready", "stop", "apply", "commit"] as const;

/**
 * - `propose`: the source is asked for its state
 * - `place`: the target is being started
 * - `ready`: the target prepares until it can take over
 * - `stop`: the source stops its output at the target's position
 * - `apply`: the target takes over from where the source stopped
 * - `commit`: the target is the job's active instance, the source is removed
 */
export type Phase = (typeof PHASES)[number];

/** Which instance produces the job's output: `none` when the job is dead. */
export type Active = "source" | "target" | "none";

/** How a handover ended, without who it was about. */
export type End =
  | {
      outcome: "completed";
      /** Present when the source died on the way and the target took over from its own position: how it died. */
      sourceLost?: string;
      /**
       * Milliseconds from the source's report that its output stopped, or from its death, to the target's report that it
       * has taken over. Absent where the worker was restarted in between.
       */
      outputGapMs?: number;
    }
  | {
      /** Of a dry run: the source would hand over. */
      outcome: "willing";
      /** Size of its state as JSON. */
      stateBytes: number;
    }
  | { outcome: "refused"; reason: string }
  | { outcome: "aborted"; phase: Phase; reason: string; active: Active }
  | {
      /** The target may have taken over and could not be removed: nobody knows whether it is active. */
      outcome: "indeterminate";
      phase: Phase;
      reason: string;
    };

/** How a handover ended. */
export type HandoverEnd = End & {
  jobId: string;
  migrationId: string;
  /** Milliseconds spent in each phase that was entered. */
  phasesMs: Partial<Record<Phase, number>>;
};
