import { ManifestError } from "./manifest-error.js";
import { isRecord, shown, typeOf } from "./problems.js";
import { SCHEMA_VERSION } from "./schema-version.js";

/** What is read of any manifest before anything else, whatever its version. */
export interface Envelope {
  readonly schemaVersion: number;
  /** Names the manifest in errors. */
  readonly subject: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Reads the version, and nothing that a newer manifest may do otherwise. */
export function readEnvelope(input: unknown): Envelope {
  if (!isRecord(input)) {
    const message = `must be a JSON object, not ${typeOf(input)}`;
    throw new ManifestError("invalid-manifest", "manifest", [{ path: "", message }]);
  }
  const { name, schemaVersion } = input;
  const subject = typeof name === "string" ? `manifest ${shown(name)}` : "manifest";
  const refusal = (code: "invalid-manifest" | "unsupported-schema-version", message: string): ManifestError =>
    new ManifestError(code, subject, [{ path: "schemaVersion", message }]);

  if (schemaVersion === undefined) throw refusal("invalid-manifest", `is missing; it must be ${SCHEMA_VERSION}`);
  if (typeof schemaVersion !== "number" || !Number.isInteger(schemaVersion) || schemaVersion < 1) {
    const message = `must be a whole number from 1 to ${SCHEMA_VERSION}, not ${shown(schemaVersion)}`;
    throw refusal("invalid-manifest", message);
  }
  if (schemaVersion > SCHEMA_VERSION) {
    const message =
      `is ${schemaVersion}, and this version of @changeover/manifest reads up to ${SCHEMA_VERSION}: ` +
      "update it to one that reads this manifest";
    throw refusal("unsupported-schema-version", message);
  }
  return { schemaVersion, subject, raw: input };
}
