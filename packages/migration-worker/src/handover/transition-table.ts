import type { Input, StepName } from "./handover.js";
import type { RuleName } from "./rules.js";

/** An input as the table knows it: with the side that it is about, except for reports, which only one side makes. */
export type InputName =
  | Exclude<Input, { side: unknown }>["type"]
  | "state"
  | "state-refused"
  | "target-ready"
  | "source-stopped-output"
  | "target-applied"
  | `${"abort" | "connected" | "disconnected" | "send-failed" | "gone" | "remove-failed"} ${"source" | "target"}`;

/** What gives a handover up at any time before the target has been told to take over. */
const givenUp = {
  "journal-failed": "clear",
  restarted: "clear",
  cancel: "clear",
  deadline: "clear",
} as const;

/**
 * The rules of a handover: what follows where (a row) from what (its entries). What is not here changes nothing.
 *
 * The worker looks its next step up in this table, the protocol document prints it, and the exhaustive search reports an
 * entry that it never came by.
 */
export const TRANSITION_TABLE = {
  "propose.waiting": {
    "connected source": "ask",
    "journal-failed": "drop",
    restarted: "drop",
    cancel: "drop",
    deadline: "drop",
    "gone source": "drop",
  },
  propose: {
    "connected source": "ask",
    state: "place",
    "state-refused": "refuse",
    "abort source": "resume",
    "send-failed source": "resume",
    "journal-failed": "resume",
    restarted: "resume",
    cancel: "resume",
    deadline: "give-up-asking",
    "gone source": "drop",
  },
  place: {
    ...givenUp,
    "connected target": "hand-over-state",
    "target-ready": "note-ready",
    placed: "await-ready",
    "place-failed": "resume",
    "abort source": "clear",
    "abort target": "clear",
    "send-failed target": "clear",
    "gone source": "lose-source",
  },
  "place.ready": {
    ...givenUp,
    placed: "stop",
    "place-failed": "resume",
    "abort source": "clear",
    "abort target": "clear",
    "gone source": "lose-source",
  },
  ready: {
    ...givenUp,
    "connected target": "hand-over-state",
    "target-ready": "stop",
    "abort source": "clear",
    "abort target": "clear",
    "send-failed target": "clear",
    "gone source": "lose-source",
    "gone target": "resume",
  },
  "stop.waiting": {
    ...givenUp,
    "connected source": "stop",
    "abort target": "clear",
    "gone source": "lose-source",
    "gone target": "resume",
  },
  stop: {
    ...givenUp,
    "connected source": "repeat",
    "source-stopped-output": "apply",
    "abort source": "clear",
    "abort target": "clear",
    "send-failed source": "clear",
    "gone source": "lose-source",
    "gone target": "resume",
  },
  "apply.waiting": {
    ...givenUp,
    "connected target": "apply",
    "abort source": "clear",
    "gone source": "note-source-gone",
    "gone target": "resume",
  },
  apply: {
    "connected target": "repeat",
    "target-applied": "commit",
    "journal-failed": "await-journal",
    "abort source": "fence",
    "abort target": "fence",
    "send-failed target": "fence",
    restarted: "fence",
    cancel: "refuse-to-cancel",
    deadline: "fence",
    "gone source": "note-source-gone",
    "gone target": "resume",
  },
  "commit.waiting": {
    "journal-written": "commit",
    restarted: "fence",
    deadline: "commit-unwritten",
    "gone source": "note-source-gone",
    "gone target": "resume",
  },
  commit: {
    restarted: "remove-source",
    deadline: "complete",
    "gone source": "complete",
    "remove-failed source": "complete",
  },
  fence: {
    restarted: "fence",
    deadline: "hold",
    "gone source": "note-source-gone",
    "gone target": "resume",
    "remove-failed target": "note-failure",
  },
  clear: {
    restarted: "clear",
    deadline: "end-cleared",
    "place-failed": "end-cleared",
    "gone source": "note-source-gone",
    "gone target": "end-cleared",
    "remove-failed target": "end-cleared",
  },
} as const satisfies Record<StepName, Partial<Record<InputName, RuleName>>>;

const table: Record<StepName, Partial<Record<InputName, RuleName>>> = TRANSITION_TABLE;

/** The rule for an input, or `undefined` where nothing follows from it. */
export function ruleFor(at: StepName, input: InputName): RuleName | undefined {
  return table[at][input];
}
