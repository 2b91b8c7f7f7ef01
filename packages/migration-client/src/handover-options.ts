import { invalid } from "./check-methods.js";
import { checkOptions, type CheckedOptions, type MigrationClientOptions } from "./migration-client-options.js";
import type { StandardSchema } from "./standard-schema.js";

/** Schemas of what a job hands over. */
export interface HandoverSchemas<State, Position> {
  readonly state?: StandardSchema<State> | undefined;
  readonly position?: StandardSchema<Position> | undefined;
}

/** Options of `connectHandover`. */
export interface HandoverOptions<State, Position> extends MigrationClientOptions {
  /**
   * Schemas of state and position as JSON, in the form that zod, valibot and arktype share. They check what arrives,
   * and a method gets what the schema makes of it; what is about to be sent is checked as the JSON that it becomes. A
   * state that does not validate is a refusal that says where, a position ends the handover with such a reason.
   */
  readonly schemas?: HandoverSchemas<State, Position> | undefined;
  /** Closes the client when it fires, as `close()` does. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws MigrationClientError `invalid-option`, naming the option and its value. */
export function checkHandoverOptions<State, Position>(
  options: HandoverOptions<State, Position>,
): CheckedOptions & { readonly schemas: HandoverSchemas<State, Position> } {
  const checked = checkOptions(options);
  for (const name of Object.keys(options)) {
    if (!(name in checked) && name !== "schemas" && name !== "signal") {
      throw invalid(`option ${name}`, "left out: there is none of this name", Reflect.get(options, name));
    }
  }
  const { schemas = {}, signal } = options;
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema !== undefined && typeof schema?.["~standard"]?.validate !== "function") {
      throw invalid(`option schemas.${name}`, "a Standard Schema, as zod, valibot and arktype make them", schema);
    }
  }
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw invalid("option signal", "an AbortSignal", signal);
  }
  return { ...checked, schemas };
}
