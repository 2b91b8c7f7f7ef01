import { RULES } from "../../src/handover/rules.js";
import { nameOf } from "../../src/handover/transition.js";
import { TRANSITION_TABLE } from "../../src/handover/transition-table.js";

/** Notes from now on which entries of the transition table are used, and says which were not. */
export function watchTable(): { unused(): string[] } {
  const used = new Set<string>();
  for (const [name, rule] of Object.entries(RULES)) {
    const value: typeof rule = (handover, input) => {
      used.add(entry(handover.step.at, String(nameOf(input))));
      return rule(handover, input);
    };
    Object.defineProperty(RULES, name, { value });
  }
  const all = Object.entries(TRANSITION_TABLE).flatMap(([step, row]) =>
    Object.keys(row).map((name) => entry(step, name)),
  );
  return { unused: () => all.filter((each) => !used.has(each)) };
}

function entry(step: string, input: string): string {
  return `${step}: ${input}`;
}
