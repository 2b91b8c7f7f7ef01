import { encodeReport } from "./encode-report.js";
import { MigrationClientError } from "./migration-client-error.js";

/**
 * A schema in the form that zod, valibot, arktype and others share: see [Standard Schema](https://standardschema.dev).
 * `Output` is what the schema makes of the JSON that arrives.
 */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/**
 * What a schema makes of JSON that has arrived.
 *
 * @throws MigrationClientError `invalid-payload`, saying where it is wrong.
 */
export async function validated<T>(what: string, schema: StandardSchema<T>, json: unknown): Promise<T> {
  const result = await schema["~standard"].validate(json);
  if (!result.issues) return result.value;
  const wrong = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return [what, ...keys].join(".") + `: ${message}`;
  });
  throw new MigrationClientError("invalid-payload", wrong.join("; "));
}

/** The value as the other side will get it. @throws MigrationClientError `unserialisable-payload`. */
export function throughJson(method: string, payload: unknown): unknown {
  return JSON.parse(encodeReport(method, { type: "state", payload })).payload;
}
