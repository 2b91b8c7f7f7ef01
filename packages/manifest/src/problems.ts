import type * as z from "zod/mini";
import type { ManifestProblem } from "./manifest-error.js";
import { suggest } from "./suggest.js";

/** What is wrong, in the words of the schema, with what was found where a value helps. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], input: unknown): ManifestProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    switch (issue.code) {
      case "invalid_key":
        return issue.issues.map(({ message }) => ({ path: path.join("."), message }));
      case "custom":
        return [{ path: path.join("."), message: issue.message }];
      case "invalid_value":
        return [
          { path: path.join("."), message: withMeant(withFound(issue.message, path, input), issue, path, input) },
        ];
      default:
        return [{ path: path.join("."), message: withFound(issue.message, path, input) }];
    }
  });
}

function withMeant(
  message: string,
  { values }: z.core.$ZodIssueInvalidValue,
  path: readonly string[],
  input: unknown,
): string {
  const found = at(input, path);
  const meant = typeof found === "string" ? suggest(found, values.map(String)) : undefined;
  return meant === undefined ? message : `${message}; did you mean ${JSON.stringify(meant)}?`;
}

function withFound(message: string, path: readonly string[], input: unknown): string {
  const found = at(input, path);
  if (found === undefined) return `is missing; it ${message}`;
  return `${message}, not ${isPrivate(path) ? typeOf(found) : shown(found)}`;
}

/** What stands under a parameter may be a secret that should not have been written there: only its type is shown. */
function isPrivate(path: readonly string[]): boolean {
  const [section, , field] = path;
  const isStaged = section === "files" || section === "secrets";
  return path.length > 1 && ((section === "parameters" && field !== "type") || (isStaged && field !== "path"));
}

function at(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const MAX_SHOWN = 60;

/** A value as an error shows it. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeOf(value);
}

/** Texts as a sentence lists them. */
export function quoted(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
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
