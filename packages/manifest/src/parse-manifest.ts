import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { isRecord, problemsOf, typeOf } from "./problems.js";
import { manifestSchema } from "./schema.js";

const SCHEMA_VERSION = 1;

/**
 * Checks a manifest, as it comes out of `JSON.parse`, and fills in the defaults. A field `$schema`, by which editors
 * find the JSON Schema, is allowed and dropped.
 *
 * @throws {@link ManifestError} that lists every problem: code `unsupported-schema-version` when the manifest was
 * written for a newer Changeover, otherwise `invalid-manifest`.
 *
 * @example
 * ```ts
 * import { parseManifest } from "@changeover/manifest";
 *
 * const manifest = parseManifest({
 *   schemaVersion: 1,
 *   name: "encoder",
 *   accelerator: { mode: "default", value: "nvidia" },
 *   parameters: { BITRATE: { default: "6000k" }, STREAM_KEY: { required: true, secret: true } },
 *   health: { path: "/healthz" },
 *   handover: { supported: true },
 * });
 * console.log(manifest.ports); // { control: 4321 }
 * ```
 */
export function parseManifest(input: unknown): Manifest {
  if (!isRecord(input)) {
    throw invalid("manifest", [{ path: "", message: `must be a JSON object, not ${typeOf(input)}` }]);
  }
  const subject = typeof input["name"] === "string" ? `manifest ${JSON.stringify(input["name"])}` : "manifest";
  // The version is read before anything else: the rest of a newer manifest follows rules that nobody knows here.
  const version = input["schemaVersion"];
  if (typeof version === "number" && version > SCHEMA_VERSION) {
    const message = `is ${version} and this Changeover reads ${SCHEMA_VERSION}: it needs a newer Changeover`;
    throw new ManifestError("unsupported-schema-version", subject, [{ path: "schemaVersion", message }]);
  }
  const result = manifestSchema.safeParse(input);
  const problems = [...(result.success ? [] : problemsOf(result.error.issues, input)), ...healthPortProblems(input)];
  if (!result.success || problems.length > 0) throw invalid(subject, problems, result.error);
  const { $schema: _, ...manifest } = result.data;
  return manifest;
}

/** Looked for in the input, because the schema checks across fields only when each field is right by itself. */
function healthPortProblems(input: Record<string, unknown>): ManifestProblem[] {
  const { health, ports } = input;
  if (health === undefined || !isRecord(ports) || Object.hasOwn(ports, "control")) return [];
  return [{ path: "ports.control", message: "is missing; health is asked on the port of this name" }];
}

function invalid(subject: string, problems: readonly ManifestProblem[], cause?: unknown): ManifestError {
  return new ManifestError("invalid-manifest", subject, problems, cause === undefined ? undefined : { cause });
}
