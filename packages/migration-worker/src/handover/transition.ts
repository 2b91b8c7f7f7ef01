import type { CommandFrame } from "@changeover/migration-protocol";
import type { End, Phase } from "./end.js";

/** The two instances of a handover. */
export type Side = "source" | "target";

/** What to do when the source dies on the way: let the target take over from its own position, or end it. */
export type SourceLost = "promote" | "abort";

/** Where a handover stands. A step that is not named after a phase ends what an aborted one has begun. */
export type Step =
  | { at: "propose"; isAsked: boolean }
  /** `ready` is what a target reported that was faster than the call that placed it. */
  | { at: "place"; state: unknown; ready?: { position: unknown } }
  | { at: "ready"; state: unknown }
  | { at: "stop"; position: unknown; isSent: boolean }
  | { at: "apply"; position: unknown; isSent: boolean }
  | { at: "commit" }
  /** The target may have taken over: only when it is known to be gone may the source resume. */
  | { at: "fence"; phase: Phase; reason: string; removeFailure?: string }
  /** The source has resumed, or is dead; the target, which cannot be active, is being removed. */
  | { at: "clear"; phase: Phase; reason: string }
  | { at: "ended"; end: End };

/** A handover as plain data. */
export interface Handover {
  readonly migrationId: string;
  readonly sourceLost: SourceLost;
  /** Only asks for the state: nothing is placed, nothing stops. */
  readonly isDryRun: boolean;
  readonly isConnected: Readonly<Record<Side, boolean>>;
  /** How the source died, once its placement has said so. A lost connection is not enough. */
  readonly sourceGone?: string;
  readonly step: Step;
}

/** What can happen to a handover. A report comes with the side that its sender has in this handover. */
export type Input =
  | ReportInput
  /** A job of version 2 carries a command out once however often it gets it, so one that may be lost is sent again. */
  | { type: "connected"; side: Side; canRepeat: boolean }
  | { type: "disconnected"; side: Side }
  | { type: "send-failed"; side: Side; reason: string }
  /** What was to happen next could not be written down, so it must not happen. */
  | { type: "journal-failed"; reason: string }
  | { type: "placed" }
  | { type: "place-failed"; reason: string }
  | { type: "cancel"; reason: string }
  | { type: "deadline"; afterMs: number }
  | { type: "gone"; side: Side; reason: string }
  | { type: "remove-failed"; side: Side; reason: string };

export type ReportInput =
  | { type: "state"; side: Side; payload: unknown }
  | { type: "state-refused"; side: Side; reason: string }
  | { type: "target-ready"; side: Side; payload: unknown }
  | { type: "source-stopped-output"; side: Side; payload: unknown }
  | { type: "target-applied"; side: Side }
  | { type: "abort"; side: Side; reason: string };

/** What a transition asks for. Effects are carried out in order. */
export type Effect =
  | { type: "send"; to: Side; frame: CommandFrame }
  /** Start the target; answered by `placed` or `place-failed`. */
  | { type: "place" }
  /** Remove an instance, also one that is still being placed; answered by `gone` or `remove-failed`. */
  | { type: "remove"; side: Side }
  /** Tell the source to carry on. One that may have stopped must hear it, however often it has to be told. */
  | { type: "resume-source"; reason: string; mayHaveStopped: boolean }
  /** The target is the job's active instance from now on. */
  | { type: "promote" }
  /** The input changes nothing here. */
  | { type: "ignored"; input: Input; reason: string };

interface Transition {
  handover: Handover;
  effects: Effect[];
}

type ProgressInput = Exclude<ReportInput, { type: "abort" }> | Extract<Input, { type: "placed" | "place-failed" }>;

const reporterOf: Record<Exclude<ReportInput["type"], "abort">, Side> = {
  state: "source",
  "state-refused": "source",
  "source-stopped-output": "source",
  "target-ready": "target",
  "target-applied": "target",
};

/** A handover that begins: the source is asked for its state. */
export function begin(
  { migrationId, sourceLost, isDryRun = false }: { migrationId: string; sourceLost: SourceLost; isDryRun?: boolean },
  isSourceConnected: boolean,
): Transition {
  const isConnected = { source: isSourceConnected, target: false };
  const handover: Handover = {
    migrationId,
    sourceLost,
    isDryRun,
    isConnected,
    step: { at: "propose", isAsked: isSourceConnected },
  };
  return { handover, effects: isSourceConnected ? [getState(handover)] : [] };
}

/**
 * The rules of a handover: what an input does to it and what has to be done. Pure. The same function drives production,
 * tests and checks.
 */
export function transition(handover: Handover, input: Input): Transition {
  switch (input.type) {
    case "connected":
      return connected(withConnection(handover, input.side, true), input);
    case "disconnected":
      return { handover: withConnection(handover, input.side, false), effects: [] };
    case "gone":
      return input.side === "source" ? sourceGone(handover, input.reason) : targetGone(handover, input);
    case "remove-failed":
      return removeFailed(handover, input);
    case "abort":
      return abort(handover, input, `the ${input.side} aborted: ${input.reason}`);
    case "send-failed":
      return abort(handover, input, `the ${input.side} could not be told: ${input.reason}`);
    case "journal-failed":
      return abort(handover, input, `the journal could not be written: ${input.reason}`);
    case "cancel":
      return abort(handover, input, input.reason);
    case "deadline":
      return deadline(handover, input);
    default:
      return progress(handover, input);
  }
}

function progress(handover: Handover, input: ProgressInput): Transition {
  const { step } = handover;
  switch (input.type) {
    case "placed":
      if (step.at !== "place") break;
      return step.ready ? targetReady(handover, step.ready.position) : to(handover, { at: "ready", state: step.state });
    case "place-failed":
      if (step.at === "clear") return cleared(handover, step);
      return abort(handover, input, `the target could not be placed: ${input.reason}`);
    default:
      return report(handover, input);
  }
  return ignored(handover, input);
}

function report(handover: Handover, input: Exclude<ReportInput, { type: "abort" }>): Transition {
  const { step } = handover;
  // The target of one handover is the source of the next, and may repeat what it said as a target.
  if (input.side !== reporterOf[input.type]) {
    return ignored(handover, input, `it came from what is the ${input.side} of this handover`);
  }
  switch (input.type) {
    case "state":
      if (step.at !== "propose" || !step.isAsked) break;
      if (handover.isDryRun) {
        const stateBytes = new TextEncoder().encode(JSON.stringify(input.payload)).length;
        return resume(handover, "it was a dry run", { at: "ended", end: { outcome: "willing", stateBytes } });
      }
      return { handover: { ...handover, step: { at: "place", state: input.payload } }, effects: [{ type: "place" }] };
    case "state-refused":
      if (step.at !== "propose" || !step.isAsked) break;
      return to(handover, { at: "ended", end: { outcome: "refused", reason: input.reason } });
    case "target-ready":
      if (step.at === "place" && !step.ready) return to(handover, { ...step, ready: { position: input.payload } });
      if (step.at === "ready") return targetReady(handover, input.payload);
      break;
    case "source-stopped-output":
      if (step.at !== "stop" || !step.isSent) break;
      return apply(handover, input.payload);
    case "target-applied":
      if (step.at !== "apply" || !step.isSent) break;
      return commit(handover);
  }
  return ignored(handover, input);
}

function targetReady(handover: Handover, position: unknown): Transition {
  if (handover.sourceGone !== undefined) return apply(handover, position);
  const isSent = handover.isConnected.source;
  const next: Handover = { ...handover, step: { at: "stop", position, isSent } };
  return { handover: next, effects: isSent ? [cutover(next, "cutover-ready", position)] : [] };
}

function apply(handover: Handover, position: unknown): Transition {
  const isSent = handover.isConnected.target;
  const next: Handover = { ...handover, step: { at: "apply", position, isSent } };
  return { handover: next, effects: isSent ? [cutover(next, "cutover-apply", position)] : [] };
}

function commit(handover: Handover): Transition {
  const effects: Effect[] = [{ type: "promote" }];
  if (handover.sourceGone !== undefined) return { ...to(handover, { at: "ended", end: completed(handover) }), effects };
  effects.push({ type: "remove", side: "source" });
  return { handover: { ...handover, step: { at: "commit" } }, effects };
}

function connected(handover: Handover, { side, canRepeat }: Extract<Input, { type: "connected" }>): Transition {
  const { step } = handover;
  if (side === "source") {
    // Of any version may be asked again: a job answers without changing anything.
    if (step.at === "propose") {
      return { handover: { ...handover, step: { at: "propose", isAsked: true } }, effects: [getState(handover)] };
    }
    if (step.at === "stop" && (canRepeat || !step.isSent)) return targetReady(handover, step.position);
    return { handover, effects: [] };
  }
  if ((step.at === "place" && !step.ready) || step.at === "ready") {
    const { migrationId } = handover;
    if (step.state === null) return { handover, effects: [] };
    const frame: CommandFrame = { type: "initial-state", migrationId, payload: step.state };
    return { handover, effects: [{ type: "send", to: "target", frame }] };
  }
  if (step.at === "apply" && (canRepeat || !step.isSent)) return apply(handover, step.position);
  return { handover, effects: [] };
}

function sourceGone(before: Handover, reason: string): Transition {
  const handover: Handover = { ...before, sourceGone: reason };
  const { step } = handover;
  switch (step.at) {
    case "propose":
      return abort(handover, { type: "gone", side: "source", reason }, `the source is gone: ${reason}`);
    case "place":
    case "ready":
    case "stop":
      if (handover.sourceLost === "abort") {
        return abort(handover, { type: "gone", side: "source", reason }, `the source is gone: ${reason}`);
      }
      return step.at === "stop" ? apply(handover, step.position) : { handover, effects: [] };
    case "commit":
      return to(before, { at: "ended", end: completed(before) });
    default:
      return { handover, effects: [] };
  }
}

function targetGone(handover: Handover, input: Extract<Input, { type: "gone" }>): Transition {
  const { step } = handover;
  const reason = `the target is gone: ${input.reason}`;
  switch (step.at) {
    case "apply":
      return resume(handover, reason, { at: "ended", end: aborted(handover, "apply", reason) });
    case "fence":
      return resume(handover, step.reason, { at: "ended", end: aborted(handover, step.phase, step.reason) });
    case "clear":
      return cleared(handover, step);
    case "commit":
    case "ended":
      return ignored(handover, input);
    default:
      return abort(handover, input, reason);
  }
}

function removeFailed(handover: Handover, input: Extract<Input, { type: "remove-failed" }>): Transition {
  const { step } = handover;
  // A target that may be active can still go by itself: only the deadline ends the wait for it.
  if (step.at === "fence") return to(handover, { ...step, removeFailure: input.reason });
  if (step.at === "clear") return cleared(handover, step);
  if (step.at === "commit") return to(handover, { at: "ended", end: completed(handover) });
  return ignored(handover, input);
}

function deadline(handover: Handover, input: Extract<Input, { type: "deadline" }>): Transition {
  const { step } = handover;
  const after = `within ${input.afterMs} ms`;
  switch (step.at) {
    case "propose":
      return abort(handover, input, `the source did not answer get-state ${after}${missing(handover, "source")}`);
    case "place":
      return abort(handover, input, `the target was not placed ${after}`);
    case "ready":
      return abort(handover, input, `the target did not report target-ready ${after}${missing(handover, "target")}`);
    case "stop":
      return abort(
        handover,
        input,
        `the source did not report that its output stopped ${after}${missing(handover, "source")}`,
      );
    case "apply":
      return abort(handover, input, `the target did not report target-applied ${after}${missing(handover, "target")}`);
    case "fence": {
      const why = step.removeFailure === undefined ? "" : ` (${step.removeFailure})`;
      const reason = `${step.reason}; then the target was not known to be gone ${after}${why}`;
      return to(handover, { at: "ended", end: { outcome: "indeterminate", phase: step.phase, reason } });
    }
    case "clear":
      return cleared(handover, step);
    case "commit":
      return to(handover, { at: "ended", end: completed(handover) });
    case "ended":
      return ignored(handover, input);
  }
}

function missing(handover: Handover, side: Side): string {
  return handover.isConnected[side] ? "" : ": it is not connected";
}

/** Whether a step has told, or may have told, the source to stop. */
export function mayHaveStopped(step: Step): boolean {
  return (step.at === "stop" && step.isSent) || step.at === "apply" || mayBeActive(step);
}

/** Whether the target has been told to take over and has neither confirmed it nor is known to be gone. */
export function mayBeActive(step: Step): boolean {
  if (step.at === "ended") return step.end.outcome === "indeterminate";
  return (step.at === "apply" && step.isSent) || step.at === "fence";
}

/** Gives a handover up, or fences the target where it may have taken over. */
function abort(handover: Handover, input: Input, reason: string): Transition {
  const { step, migrationId } = handover;
  switch (step.at) {
    case "propose": {
      const ended: Step = { at: "ended", end: aborted(handover, "propose", reason) };
      // A source that was not asked knows nothing of this handover.
      return step.isAsked ? resume(handover, reason, ended) : to(handover, ended);
    }
    case "apply":
      if (step.isSent) {
        if (input.type === "cancel") return ignored(handover, input, "the target has been told to take over");
        return {
          ...to(handover, { at: "fence", phase: "apply", reason }),
          effects: [{ type: "remove", side: "target" }],
        };
      }
      break;
    case "place":
    case "ready":
    case "stop":
      break;
    default:
      return ignored(handover, input);
  }
  // There is no target that would have to be removed.
  if (input.type === "place-failed" || (input.type === "gone" && input.side === "target")) {
    return resume(handover, reason, { at: "ended", end: aborted(handover, step.at, reason) });
  }
  const { handover: next, effects } = resume(handover, reason, { at: "clear", phase: step.at, reason });
  if (handover.isConnected.target) {
    effects.push({ type: "send", to: "target", frame: { type: "abort", migrationId, reason } });
  }
  return { handover: next, effects: [...effects, { type: "remove", side: "target" }] };
}

function resume(handover: Handover, reason: string, next: Step): Transition {
  const isToldToStop = mayHaveStopped(handover.step);
  return {
    handover: { ...handover, step: next },
    effects: handover.sourceGone === undefined ? [{ type: "resume-source", reason, mayHaveStopped: isToldToStop }] : [],
  };
}

function cleared(handover: Handover, { phase, reason }: Extract<Step, { at: "clear" }>): Transition {
  return to(handover, { at: "ended", end: aborted(handover, phase, reason) });
}

function aborted(handover: Handover, phase: Phase, reason: string): End {
  return { outcome: "aborted", phase, reason, active: handover.sourceGone === undefined ? "source" : "none" };
}

function completed(handover: Handover): End {
  const { sourceGone } = handover;
  return sourceGone === undefined ? { outcome: "completed" } : { outcome: "completed", sourceLost: sourceGone };
}

function getState({ migrationId }: Handover): Effect {
  return { type: "send", to: "source", frame: { type: "get-state", migrationId } };
}

function cutover({ migrationId }: Handover, type: "cutover-ready" | "cutover-apply", payload: unknown): Effect {
  return { type: "send", to: type === "cutover-ready" ? "source" : "target", frame: { type, migrationId, payload } };
}

function withConnection(handover: Handover, side: Side, isConnected: boolean): Handover {
  return { ...handover, isConnected: { ...handover.isConnected, [side]: isConnected } };
}

function to(handover: Handover, step: Step): Transition {
  return { handover: { ...handover, step }, effects: [] };
}

function ignored(handover: Handover, input: Input, reason = `nothing waits for it in ${handover.step.at}`): Transition {
  return { handover, effects: [{ type: "ignored", input, reason }] };
}
