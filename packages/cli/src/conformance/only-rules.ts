import type { Rule } from "./rule.js";

/** The rules that a list of numbers (`7,9`) names. @throws if it names something else. */
export function onlyRules(list: string, rules: readonly Rule[]): readonly Rule[] {
  const numbers = list.split(",").map((number) => number.trim());
  const unknown = numbers.filter((number) => !rules.some((rule) => String(rule.number) === number));
  if (unknown.length > 0) {
    const known = `rules are numbered from 1 to ${rules.length}`;
    throw new Error(`--only: ${unknown.map((each) => `"${each}"`).join(", ")} names no rule; ${known}`);
  }
  return rules.filter((rule) => numbers.includes(String(rule.number)));
}
