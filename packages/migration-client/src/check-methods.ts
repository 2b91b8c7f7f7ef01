import { MigrationClientError } from "./migration-client-error.js";
import { showValue } from "./show-value.js";

/**
 * Checks an object that a job has given, named `what`. Other members are nobody's business: it may be an instance of
 * a class, or a class whose methods are static. Null counts as left out, as undefined does.
 *
 * @throws MigrationClientError `invalid-option`, naming the method and its value.
 */
export function checkMethods(
  what: string,
  object: unknown,
  required: readonly string[] = [],
  optional: readonly string[] = [],
): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) {
    throw invalid(what, "an object", object);
  }
  for (const name of [...required, ...optional]) {
    const method: unknown = Reflect.get(object, name) ?? undefined;
    if (typeof method === "function" || (method === undefined && optional.includes(name))) continue;
    throw invalid(`${what}.${name}`, "a function", method);
  }
}

/** The error that says what something must be, and what it is. */
export function invalid(what: string, expected: string, value: unknown): MigrationClientError {
  return new MigrationClientError("invalid-option", `${what} must be ${expected}, and is ${showValue(value)}`);
}
