import { MigrationClientError } from "./migration-client-error.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { showValue } from "./show-value.js";

const NAMES = Object.keys({
  onGetState: true,
  onInitialState: true,
  onCutoverReady: true,
  onCutoverApply: true,
  onAbort: true,
  onCommitted: true,
} satisfies Record<keyof MigrationHandlers, true>);

/**
 * Other members are nobody's business: the handlers may be those of a class. Null counts as left out, as undefined does.
 *
 * @throws MigrationClientError `invalid-option`, naming the handler and its value.
 */
export function checkHandlers(handlers: unknown): void {
  // A function may be a class whose handlers are static.
  if ((typeof handlers !== "object" && typeof handlers !== "function") || handlers === null) {
    throw invalid(`handlers must be an object, and is ${showValue(handlers)}`);
  }
  for (const name of NAMES) {
    const handler: unknown = Reflect.get(handlers, name) ?? undefined;
    if (handler === undefined || typeof handler === "function") continue;
    throw invalid(`handler ${name} must be a function, and is ${showValue(handler)}`);
  }
}

function invalid(message: string): MigrationClientError {
  return new MigrationClientError("invalid-option", message);
}
