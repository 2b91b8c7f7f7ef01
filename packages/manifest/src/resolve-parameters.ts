import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { RESERVED_PREFIX } from "./parameter-name.js";
import { typeOf } from "./problems.js";

/** Values given for a manifest's parameters, by name: those of the instance win over those of its template. */
export interface ParameterValues {
  readonly template?: Readonly<Record<string, string>>;
  readonly instance?: Readonly<Record<string, string>>;
}

/**
 * The environment of an instance: its own values over those of its template over the manifest's defaults. An empty
 * string is a value. Parameters that nobody gave a value are left out.
 *
 * @throws {@link ManifestError} with code `invalid-parameters` that names every unknown, missing and unusable
 * parameter at once, and no value.
 *
 * @example
 * ```ts
 * import { parseManifest, resolveParameters } from "@changeover/manifest";
 *
 * const manifest = parseManifest({
 *   schemaVersion: 1,
 *   name: "encoder",
 *   parameters: { BITRATE: { default: "6000k" }, PRESET: {} },
 * });
 * resolveParameters(manifest, { template: { PRESET: "fast" } }); // { BITRATE: "6000k", PRESET: "fast" }
 * ```
 */
export function resolveParameters(manifest: Manifest, values: ParameterValues = {}): Record<string, string> {
  const given = [...Object.entries(values.template ?? {}), ...Object.entries(values.instance ?? {})];
  const merged = new Map<string, string>();
  const problems: ManifestProblem[] = [];

  for (const [name, parameter] of Object.entries(manifest.parameters)) {
    if (parameter.default !== undefined) merged.set(name, parameter.default);
  }
  for (const [name, value] of given) {
    const message = problemWith(manifest, name, value);
    if (message === undefined) merged.set(name, value);
    else problems.push({ path: name, message });
  }
  for (const [name, parameter] of Object.entries(manifest.parameters)) {
    const isGiven = given.some(([other]) => other === name);
    if (parameter.required && !merged.has(name) && !isGiven) {
      problems.push({ path: name, message: "is missing, and the product requires a value" });
    }
  }
  if (problems.length > 0) {
    throw new ManifestError("invalid-parameters", `parameters of ${JSON.stringify(manifest.name)}`, problems);
  }
  return Object.fromEntries(merged);
}

function problemWith(manifest: Manifest, name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(manifest.parameters, name)) {
    if (name.startsWith(RESERVED_PREFIX)) return `is reserved: names with ${RESERVED_PREFIX} are no parameters`;
    const known = Object.keys(manifest.parameters).join(", ");
    return known === "" ? "is unknown: the product has no parameters" : `is unknown; known are ${known}`;
  }
  if (typeof value !== "string") return `must be a string, not ${typeOf(value)}`;
  if (value.includes("\0")) return "must not contain a NUL character: an environment cannot hold one";
  return undefined;
}
