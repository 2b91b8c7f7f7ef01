import type * as z from "zod/mini";
import type { ManifestProblem } from "./manifest-error.js";

/** What is wrong, in the words of the schema, with what was found where a value helps. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], input: unknown): ManifestProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    switch (issue.code) {
      case "unrecognized_keys":
        return issue.keys.map((key) => ({ path: [...path, key].join("."), message: issue.message }));
      case "invalid_key":
        return issue.issues.map(({ message }) => ({ path: path.join("."), message }));
      case "custom":
        return [{ path: path.join("."), message: issue.message }];
      default:
        return [{ path: path.join("."), message: withFound(issue.message, path, input) }];
    }
  });
}

function withFound(message: string, path: readonly string[], input: unknown): string {
  const found = at(input, path);
  if (found === undefined) return `is missing; it ${message}`;
  // What stands under a parameter may be a secret that should not have been written there: only its type is shown.
  const isPrivate = path[0] === "parameters" && path.length > 1;
  return `${message}, not ${isPrivate ? typeOf(found) : shown(found)}`;
}

function at(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeOf(value);
}

/** The type of a value as a sentence says it. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
