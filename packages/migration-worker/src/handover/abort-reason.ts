import type { Handover, Input, Side } from "./handover.js";

const restarted = "the worker was restarted";

/** Why a handover is given up, in words for people: what happened, and to whom. */
export function abortReason(handover: Handover, input: Input): string {
  switch (input.type) {
    case "abort":
      return `the ${input.side} aborted: ${input.reason}`;
    case "send-failed":
      return `the ${input.side} could not be told: ${input.reason}`;
    case "journal-failed":
      return `the journal could not be written: ${input.reason}`;
    case "place-failed":
      return `the target could not be placed: ${input.reason}`;
    case "gone":
      return `the ${input.side} is gone: ${input.reason}`;
    case "restarted":
      return "reason" in handover.step ? `${handover.step.reason}; then ${restarted}` : restarted;
    case "cancel":
      return input.reason;
    case "deadline":
      return missed(handover, `within ${input.afterMs} ms`);
    default:
      return input.type;
  }
}

function missed(handover: Handover, after: string): string {
  const { step } = handover;
  switch (step.at) {
    case "propose.waiting":
    case "propose": {
      const why =
        handover.speaks.source === 1 ? ": it speaks version 1, and a client that predates the propose never does" : "";
      return `the source did not answer get-state ${after}${why}${away(handover, "source")}`;
    }
    case "place":
    case "place.ready":
      return `the target was not placed ${after}`;
    case "ready":
      return `the target did not report target-ready ${after}${away(handover, "target")}`;
    case "stop.waiting":
    case "stop":
      return `the source did not report that its output stopped ${after}${away(handover, "source")}`;
    case "apply.waiting":
    case "apply":
      return `the target did not report target-applied ${after}${away(handover, "target")}`;
    case "fence": {
      const why = step.removeFailure === undefined ? "" : ` (${step.removeFailure})`;
      return `${step.reason}; then the target was not known to be gone ${after}${why}`;
    }
    default:
      return `nothing came ${after}`;
  }
}

function away({ speaks }: Handover, side: Side): string {
  return speaks[side] === undefined ? ": it is not connected" : "";
}
