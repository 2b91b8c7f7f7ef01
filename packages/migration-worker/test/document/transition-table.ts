import type { RuleName } from "../../src/handover/rules.js";
import { TRANSITION_TABLE } from "../../src/handover/transition-table.js";

/** What each rule does, in the words of the document. */
const RULE_TEXTS: Record<RuleName, string> = {
  ask: "`get-state` to the source; to `propose`",
  refuse: "ends as `refused`",
  place: "the target is started; to `place`. In a dry run: ends as `willing`, and `abort` to the source",
  "give-up-asking": "as _resume_; ends as `refused` where the source speaks version 1, which may not know `get-state`",
  "hand-over-state": "`initial-state` to the target; none to a target of version 1 if the state is `null`",
  "note-ready": "to `place.ready`",
  "await-ready": "to `ready`",
  stop: "`cutover-ready` to the source; to `stop`, or to `stop.waiting` where it is not connected. Where it is dead: as _apply_, from the target's own position",
  apply: "`cutover-apply` to the target; to `apply`, or to `apply.waiting` where it is not connected",
  repeat: "in version 2, the current command again",
  commit:
    "written down first: the target is the active instance; `committed` to both; the source is removed; to `commit`. Where the source is dead: ends as `completed`",
  "await-journal": "to `commit.waiting`: nobody may hear of a commit that a restart would forget",
  "commit-unwritten": "as _commit_, written down or not",
  "remove-source": "the source is removed",
  complete: "ends as `completed`",
  "lose-source":
    "`sourceLost: promote`: it is noted, and in `stop` and `stop.waiting` as _apply_, from the target's own position. `abort`: as _clear_",
  "note-source-gone": "it is noted: nobody will be told to resume",
  drop: "ends as `aborted`; nobody has to be told",
  resume: "`abort` to the source, which resumes; ends as `aborted`",
  clear: "`abort` to the source, which resumes; `abort` to the target, which is removed; to `clear`",
  "end-cleared": "ends as `aborted`",
  fence: "the target is removed, and nobody is told anything until it is known to be gone; to `fence`",
  "note-failure": "it is noted, and the target is removed again",
  hold: "ends as `indeterminate`",
  "refuse-to-cancel": "ignored: the target has been told to take over",
};

/** The transition table for people: one line for each step and rule. */
export function formatTransitionTable(): string {
  const lines = ["| step | what happens | rule |", "| --- | --- | --- |"];
  for (const [step, row] of Object.entries(TRANSITION_TABLE)) {
    const byRule = new Map<string, string[]>();
    for (const [input, rule] of Object.entries(row)) byRule.set(rule, [...(byRule.get(rule) ?? []), input]);
    let name = `\`${step}\``;
    for (const [rule, inputs] of byRule) {
      lines.push(`| ${name} | ${inputs.map((input) => `\`${input}\``).join(", ")} | _${rule}_ |`);
      name = "";
    }
  }
  return lines.join("\n");
}

export function formatRules(): string {
  const lines = Object.entries(RULE_TEXTS).map(([rule, text]) => `| _${rule}_ | ${text} |`);
  return ["| rule | what follows |", "| --- | --- |", ...lines].join("\n");
}
