import { isRecord } from "./frame.js";

/** What a value is to be: equal, or an object that has at least these fields, or as a function of a stated meaning says. */
export type Pattern = string | number | boolean | null | Check | { readonly [field: string]: Pattern };

/** A condition on a value, with the words in which a failure is told. */
export interface Check {
  readonly meaning: string;
  holds(value: unknown): boolean;
}

export const someText: Check = {
  meaning: "a text that is not empty",
  holds: (value) => typeof value === "string" && value !== "",
};

export const absent: Check = { meaning: "no such field", holds: (value) => value === undefined };

export function atLeast(least: number): Check {
  return { meaning: `at least ${least}`, holds: (value) => typeof value === "number" && value >= least };
}

export function textOfLength(length: number): Check {
  return {
    meaning: `a text of ${length} characters`,
    holds: (value) => typeof value === "string" && value.length === length,
  };
}

export function matches(value: unknown, pattern: Pattern): boolean {
  if (isCheck(pattern)) return pattern.holds(value);
  if (typeof pattern !== "object" || pattern === null) return value === pattern;
  return isRecord(value) && Object.entries(pattern).every(([field, each]) => matches(value[field], each));
}

export function showPattern(pattern: Pattern): string {
  if (isCheck(pattern)) return pattern.meaning;
  if (typeof pattern !== "object" || pattern === null) return JSON.stringify(pattern);
  const fields = Object.entries(pattern).map(([name, each]) => `${name}: ${showPattern(each)}`);
  return `{${fields.join(", ")}}`;
}

function isCheck(pattern: Pattern): pattern is Check {
  return typeof pattern === "object" && pattern !== null && typeof pattern["holds"] === "function";
}
