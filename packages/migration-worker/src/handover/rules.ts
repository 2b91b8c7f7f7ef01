import type { CommandFrame } from "@changeover/migration-protocol";
import type { End, Phase } from "./end.js";
import {
  mayHaveStopped,
  phaseOf,
  type Effect,
  type Handover,
  type Input,
  type Step,
  type Transition,
} from "./handover.js";
import { abortReason } from "./abort-reason.js";

/** What a rule makes of a handover and an input to which the table applies it. */
type Rule = (handover: Handover, input: Input) => Transition;

export type RuleName = keyof typeof RULES;

export const RULES = {
  ask: (handover) => to(handover, { at: "propose" }, [toSource(handover, { type: "get-state" })]),

  refuse: (handover, input) => to(handover, { at: "ended", end: { outcome: "refused", reason: reasonIn(input) } }),

  place: (handover, input) => {
    const state = payloadIn(input);
    if (!handover.isDryRun) return to(handover, { at: "place", state }, [{ type: "place" }]);
    const stateBytes = sizeOf(state);
    if (stateBytes === undefined) {
      const reason = "the state is nested too deeply to be handed over";
      return resumed(handover, reason, aborted(handover, reason));
    }
    return resumed(handover, "it was a dry run", { outcome: "willing", stateBytes });
  },

  "give-up-asking": (handover, input) => {
    const reason = abortReason(handover, input);
    // Only version 2 can be trusted to know get-state: the clients that came before it only knew the cutover.
    if (handover.speaks.source === 1) return resumed(handover, reason, { outcome: "refused", reason });
    return resumed(handover, reason, aborted(handover, reason));
  },

  "hand-over-state": (handover) => {
    const { step, migrationId, speaks } = handover;
    // Null is a yes with nothing to hand over, of which a target of version 1 hears nothing.
    if (!("state" in step) || (step.state === null && speaks.target !== 2)) return to(handover, step);
    const frame = { type: "initial-state", migrationId, payload: step.state } as const;
    return to(handover, step, [{ type: "send", to: "target", frame }]);
  },

  "note-ready": (handover, input) => to(handover, { at: "place.ready", position: payloadIn(input) }),

  "await-ready": (handover) =>
    to(handover, { at: "ready", state: "state" in handover.step ? handover.step.state : null }),

  stop: (handover, input) => stopped(handover, positionFor(handover, input)),

  apply: (handover, input) => applied(handover, positionFor(handover, input)),

  commit: (handover) => committed(handover, true),

  "await-journal": (handover) => to(handover, { at: "commit.waiting" }),

  /** The target is active whether that can be written down or not, and nobody is to wait for ever. */
  "commit-unwritten": (handover) => committed(handover, false),

  /** The worker that promoted the target has died. */
  "remove-source": (handover) => to(handover, handover.step, [{ type: "remove", side: "source" }]),

  complete: (handover) => to(handover, { at: "ended", end: completed(handover) }),

  /** A job of version 2 carries a command out once however often it gets it, so one that may be lost is sent again. */
  repeat: (handover, input) => {
    const { step } = handover;
    const canRepeat = input.type === "connected" && input.version === 2;
    if (!canRepeat || !("position" in step)) return to(handover, step);
    return step.at === "stop" ? stopped(handover, step.position) : applied(handover, step.position);
  },

  "lose-source": (handover, input) => {
    const lost = withoutSource(handover, input);
    if (handover.sourceLost === "abort") return cleared(lost, input);
    const { step } = lost;
    return step.at === "stop" || step.at === "stop.waiting" ? applied(lost, step.position) : to(lost, step);
  },

  "note-source-gone": (handover, input) => to(withoutSource(handover, input), handover.step),

  /** Nobody has been told anything, or there is nobody left to tell. */
  drop: (handover, input) => {
    const lost = input.type === "gone" ? withoutSource(handover, input) : handover;
    return to(lost, { at: "ended", end: aborted(lost, abortReason(handover, input)) });
  },

  /** There is no target that could be active, or that would have to be removed. */
  resume: (handover, input) => {
    const { step } = handover;
    const reason = step.at === "fence" ? step.reason : abortReason(handover, input);
    return resumed(handover, reason, aborted(handover, reason));
  },

  clear: cleared,

  "end-cleared": (handover) => {
    const { step } = handover;
    return to(handover, { at: "ended", end: aborted(handover, step.at === "clear" ? step.reason : "") });
  },

  /** The target may have taken over: it is removed, and until it is known to be gone the source stays silent. */
  fence: (handover, input) => {
    const step: Step = { at: "fence", phase: phaseIn(handover), reason: abortReason(handover, input) };
    return to(handover, step, [{ type: "remove", side: "target" }]);
  },

  /** A target that may be active can still go by itself: only the deadline ends the wait for it. */
  "note-failure": (handover, input) => {
    const { step } = handover;
    return to(handover, step.at === "fence" ? { ...step, removeFailure: reasonIn(input) } : step);
  },

  hold: (handover, input) => {
    const reason = abortReason(handover, input);
    return to(handover, { at: "ended", end: { outcome: "indeterminate", phase: phaseIn(handover), reason } });
  },

  "refuse-to-cancel": (handover, input) => ({
    handover,
    effects: [{ type: "ignored", input, reason: "the target has been told to take over" }],
  }),
} as const satisfies Record<string, Rule>;

function to(handover: Handover, step: Step, effects: readonly Effect[] = []): Transition {
  return { handover: { ...handover, step }, effects };
}

function toSource(
  { migrationId }: Handover,
  frame: { type: "get-state" } | { type: "cutover-ready"; payload: unknown },
): Effect {
  const command: CommandFrame = { ...frame, migrationId };
  return { type: "send", to: "source", frame: command };
}

function stopped(handover: Handover, position: unknown): Transition {
  if (handover.sourceGone !== undefined) return applied(handover, position);
  if (handover.speaks.source === undefined) return to(handover, { at: "stop.waiting", position });
  return to(handover, { at: "stop", position }, [toSource(handover, { type: "cutover-ready", payload: position })]);
}

function applied(handover: Handover, position: unknown): Transition {
  const { migrationId, speaks } = handover;
  if (speaks.target === undefined) return to(handover, { at: "apply.waiting", position });
  const frame = { type: "cutover-apply", migrationId, payload: position } as const;
  return to(handover, { at: "apply", position }, [{ type: "send", to: "target", frame }]);
}

/** The target was never told to take over: the source resumes at once, and the target is removed. */
function cleared(handover: Handover, input: Input): Transition {
  const { migrationId, speaks } = handover;
  const reason = abortReason(handover, input);
  const effects: Effect[] = [...resumption(handover, reason)];
  if (speaks.target !== undefined) {
    effects.push({ type: "send", to: "target", frame: { type: "abort", migrationId, reason } });
  }
  effects.push({ type: "remove", side: "target" });
  return to(handover, { at: "clear", phase: phaseIn(handover), reason }, effects);
}

function committed(handover: Handover, mustBeWritten: boolean): Transition {
  const promotion = { type: "promote", mustBeWritten } as const;
  if (handover.sourceGone !== undefined) {
    return to(handover, { at: "ended", end: completed(handover) }, [promotion]);
  }
  return to(handover, { at: "commit" }, [promotion, { type: "remove", side: "source" }]);
}

function resumed(handover: Handover, reason: string, end: End): Transition {
  return to(handover, { at: "ended", end }, resumption(handover, reason));
}

function resumption({ step, sourceGone }: Handover, reason: string): readonly Effect[] {
  if (sourceGone !== undefined) return [];
  return [{ type: "resume-source", reason, mayHaveStopped: mayHaveStopped(step) }];
}

function aborted(handover: Handover, reason: string): End {
  const active = handover.sourceGone === undefined ? "source" : "none";
  return { outcome: "aborted", phase: phaseIn(handover), reason, active };
}

function completed({ sourceGone }: Handover): End {
  return sourceGone === undefined ? { outcome: "completed" } : { outcome: "completed", sourceLost: sourceGone };
}

function withoutSource(handover: Handover, input: Input): Handover {
  return { ...handover, sourceGone: reasonIn(input) };
}

function phaseIn({ step }: Handover): Phase {
  return phaseOf(step) ?? "propose";
}

/** The position that a report brings, or that was kept for when its receiver is connected. */
function positionFor({ step }: Handover, input: Input): unknown {
  return "payload" in input || !("position" in step) ? payloadIn(input) : step.position;
}

function payloadIn(input: Input): unknown {
  return "payload" in input ? input.payload : null;
}

function reasonIn(input: Input): string {
  return "reason" in input ? input.reason : "";
}

/** Bytes of a value as JSON; undefined where what could be parsed is nested too deeply to be written again. */
function sizeOf(value: unknown): number | undefined {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length;
  } catch {
    return undefined;
  }
}
