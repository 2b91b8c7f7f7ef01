import { readFile } from "node:fs/promises";
import { isRecord, showValue } from "./frame.js";
import type { Rule } from "./rule.js";

/** By the number of a rule, why the client is known not to keep it. */
export type ExpectedFailures = ReadonlyMap<number, string>;

/** Reads a list of expected failures. @throws if it is none, with the entry that is wrong. */
export async function readExpectedFailures(file: string, rules: readonly Rule[]): Promise<ExpectedFailures> {
  let list: unknown;
  try {
    list = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the expected failures cannot be read from ${file}: ${why}`, { cause });
  }
  const wrong = (what: string): Error =>
    new Error(`${file}: ${what}; a list of expected failures looks like [{"rule": 7, "reason": "…"}]`);
  if (!Array.isArray(list)) throw wrong("it is not an array");
  const reasons = new Map<number, string>();
  for (const entry of list) {
    const { rule, reason } = isRecord(entry) ? entry : {};
    if (typeof rule !== "number" || !rules.some(({ number }) => number === rule)) {
      throw wrong(`${showValue(entry)} names no rule`);
    }
    if (typeof reason !== "string" || reason.trim() === "") throw wrong(`the entry of rule ${rule} has no reason`);
    if (reasons.has(rule)) throw wrong(`rule ${rule} has two entries`);
    reasons.set(rule, reason);
  }
  return reasons;
}
