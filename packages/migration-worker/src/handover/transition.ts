import type { Handover, Input, Side, SourceLost, Transition } from "./handover.js";
import { RULES } from "./rules.js";
import { ruleFor, type InputName } from "./transition-table.js";

/** A handover that begins: the source is asked for its state. */
export function begin(
  { migrationId, sourceLost, isDryRun }: { migrationId: string; sourceLost: SourceLost; isDryRun: boolean },
  source: 1 | 2 | undefined,
): Transition {
  const speaks = source === undefined ? {} : { source };
  const handover: Handover = { migrationId, sourceLost, isDryRun, speaks, step: { at: "propose.waiting" } };
  return source === undefined
    ? { handover, effects: [] }
    : transition(handover, { type: "connected", side: "source", version: source });
}

/**
 * What an input does to a handover and what has to be done, by the table. Pure. The same function drives production,
 * tests and checks.
 */
export function transition(before: Handover, input: Input): Transition {
  const handover = withConnection(before, input);
  const { step } = handover;
  const name = nameOf(input);
  if (typeof name === "object") return ignored(handover, input, name.ignored);
  const rule = step.at === "ended" ? undefined : ruleFor(step.at, name);
  if (rule !== undefined) return RULES[rule](handover, input);
  // That nothing is to be said to somebody who comes or goes is nothing to speak of.
  if (input.type === "connected" || input.type === "disconnected") return { handover, effects: [] };
  return ignored(handover, input, `nothing waits for it in ${step.at}`);
}

const reporterOf = {
  state: "source",
  "state-refused": "source",
  "source-stopped-output": "source",
  "target-ready": "target",
  "target-applied": "target",
} as const satisfies Record<string, Side>;

/** The name of an input in the table, or why it is ignored whatever the step. */
export function nameOf(input: Input): InputName | { ignored: string } {
  switch (input.type) {
    case "state":
    case "state-refused":
    case "source-stopped-output":
    case "target-ready":
    case "target-applied":
      // The target of one handover is the source of the next, and may repeat what it said as a target.
      if (input.side === reporterOf[input.type]) return input.type;
      return { ignored: `it came from what is the ${input.side} of this handover` };
    case "abort":
    case "connected":
    case "disconnected":
    case "send-failed":
    case "gone":
    case "remove-failed":
      return `${input.type} ${input.side}`;
    default:
      return input.type;
  }
}

function withConnection(handover: Handover, input: Input): Handover {
  if (input.type === "connected") {
    return { ...handover, speaks: { ...handover.speaks, [input.side]: input.version } };
  }
  if (input.type !== "disconnected") return handover;
  const { [input.side]: _, ...speaks } = handover.speaks;
  return { ...handover, speaks };
}

function ignored(handover: Handover, input: Input, reason: string): Transition {
  return { handover, effects: [{ type: "ignored", input, reason }] };
}
