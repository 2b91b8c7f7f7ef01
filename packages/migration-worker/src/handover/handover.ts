import type { CommandFrame } from "@changeover/migration-protocol";
import { PHASES, type End, type Phase } from "./end.js";

/** The two instances of a handover. */
export type Side = "source" | "target";

/** What to do when the source dies on the way: let the target take over from its own position, or end it. */
export type SourceLost = "promote" | "abort";

/**
 * Where a handover stands. A phase that is `waiting` has something to tell to an instance that is not connected. `fence`
 * and `clear` end what an aborted phase has begun.
 */
export type Step =
  | { readonly at: "propose.waiting" | "propose" | "commit" }
  /** The target has taken over, and nobody may hear of it before it is written down. */
  | { readonly at: "commit.waiting" }
  | { readonly at: "place" | "ready"; readonly state: unknown }
  /** The target was faster than the call that places it. */
  | { readonly at: "place.ready"; readonly position: unknown }
  | { readonly at: "stop.waiting" | "stop" | "apply.waiting" | "apply"; readonly position: unknown }
  /** The target may have taken over: only when it is known to be gone may the source resume. */
  | { readonly at: "fence"; readonly phase: Phase; readonly reason: string; readonly removeFailure?: string }
  /** The source has resumed, or is dead; the target, which cannot be active, is being removed. */
  | { readonly at: "clear"; readonly phase: Phase; readonly reason: string }
  | { readonly at: "ended"; readonly end: End };

export type StepName = Exclude<Step["at"], "ended">;

/** A handover as plain data. */
export interface Handover {
  readonly migrationId: string;
  readonly sourceLost: SourceLost;
  /** Only asks for the state: nothing is placed, nothing stops. */
  readonly isDryRun: boolean;
  /** The version of the protocol that each side speaks; absent where it is not connected. */
  readonly speaks: Readonly<Partial<Record<Side, 1 | 2>>>;
  /** How the source died, once its placement has said so. A lost connection is not enough. */
  readonly sourceGone?: string;
  readonly step: Step;
}

/** What can happen to a handover. A report comes with the side that its sender has in this handover. */
export type Input =
  | ReportInput
  | { readonly type: "connected"; readonly side: Side; readonly version: 1 | 2 }
  | { readonly type: "disconnected"; readonly side: Side }
  | { readonly type: "send-failed"; readonly side: Side; readonly reason: string }
  /** What was to happen next could not be written down, so it must not happen. */
  | { readonly type: "journal-failed"; readonly reason: string }
  /** What could not be written down is now. */
  | { readonly type: "journal-written" }
  /** The worker has died and knows of the handover by its journal. */
  | { readonly type: "restarted" }
  | { readonly type: "placed" }
  | { readonly type: "place-failed"; readonly reason: string }
  | { readonly type: "cancel"; readonly reason: string }
  | { readonly type: "deadline"; readonly afterMs: number }
  | { readonly type: "gone"; readonly side: Side; readonly reason: string }
  | { readonly type: "remove-failed"; readonly side: Side; readonly reason: string };

export type ReportInput =
  | { readonly type: "state"; readonly side: Side; readonly payload: unknown }
  | { readonly type: "state-refused"; readonly side: Side; readonly reason: string }
  | { readonly type: "target-ready"; readonly side: Side; readonly payload: unknown }
  | { readonly type: "source-stopped-output"; readonly side: Side; readonly payload: unknown }
  | { readonly type: "target-applied"; readonly side: Side }
  | { readonly type: "abort"; readonly side: Side; readonly reason: string };

/** What a transition asks for. Effects are carried out in order. */
export type Effect =
  | { readonly type: "send"; readonly to: Side; readonly frame: CommandFrame }
  /** Start the target; answered by `placed` or `place-failed`. */
  | { readonly type: "place" }
  /** Remove an instance, also one that is still being placed; answered by `gone` or `remove-failed`. */
  | { readonly type: "remove"; readonly side: Side }
  /** Tell the source to carry on. One that may have stopped must hear it, however often it has to be told. */
  | { readonly type: "resume-source"; readonly reason: string; readonly mayHaveStopped: boolean }
  /** The target is the job's active instance from now on, which is to be known by the journal first. */
  | { readonly type: "promote"; readonly mustBeWritten: boolean }
  /** The input changes nothing here. */
  | { readonly type: "ignored"; readonly input: Input; readonly reason: string };

export interface Transition {
  readonly handover: Handover;
  readonly effects: readonly Effect[];
}

/** The phase in which a handover is, or was when it was given up. */
export function phaseOf(step: Step): Phase | undefined {
  if (step.at === "fence" || step.at === "clear") return step.phase;
  if (step.at !== "ended") return phaseNamed(step.at);
  return "phase" in step.end ? step.end.phase : undefined;
}

/** The phase that a step belongs to; none where it undoes one. */
export function phaseNamed(at: Step["at"]): Phase | undefined {
  return PHASES.find((phase) => phase === at.split(".")[0]);
}

/** Whether a step has told, or may have told, the source to stop. */
export function mayHaveStopped(step: Step): boolean {
  return step.at === "stop" || step.at === "apply.waiting" || step.at === "apply" || mayBeActive(step);
}

/** Whether the target has been told to take over and has neither confirmed it nor is known to be gone. */
export function mayBeActive(step: Step): boolean {
  if (step.at === "ended") return step.end.outcome === "indeterminate";
  return step.at === "apply" || step.at === "commit.waiting" || step.at === "fence";
}
