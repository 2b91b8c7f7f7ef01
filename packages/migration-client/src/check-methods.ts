import { MigrationClientError } from "./migration-client-error.js";
import { showValue } from "./show-value.js";

/**
 * Checks the object that a job is given as, named `what`. Other members are nobody's business: it may be an instance of
 * a class, or a class whose methods are static. Null counts as left out, as undefined does.
 *
 * @throws MigrationClientError `invalid-option`, naming the method and its value.
 */
export function checkMethods(
  what: string,
  object: unknown,
  required: readonly string[],
  optional: readonly string[],
): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) {
    throw invalid(`${what} must be an object, and is ${showValue(object)}`);
  }
  for (const name of [...required, ...optional]) {
    const method: unknown = Reflect.get(object, name) ?? undefined;
    if (typeof method === "function" || (method === undefined && optional.includes(name))) continue;
    throw invalid(`${what}.${name} must be a function, and is ${showValue(method)}`);
  }
}

function invalid(message: string): MigrationClientError {
  return new MigrationClientError("invalid-option", message);
}
