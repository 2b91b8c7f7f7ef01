import { assertManifest } from "./assert-manifest.js";
import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { RESERVED_PREFIX } from "./parameter-name.js";
import { isRecord, typeOf } from "./problems.js";

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
 * parameter at once, and no value; with `invalid-manifest` when the manifest is not what `parseManifest` returns.
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
  assertManifest(manifest);
  const { template = {}, instance = {} } = checkedValues(manifest, values);
  const given = [...Object.entries(template), ...Object.entries(instance)];
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
    throw refusal(manifest, problems);
  }
  return Object.fromEntries(merged);
}

function checkedValues(manifest: Manifest, values: ParameterValues): ParameterValues {
  const rule = (value: unknown): string => `must be an object of names and values, not ${typeOf(value)}`;
  if (!isRecord(values)) throw refusal(manifest, [{ path: "", message: `values ${rule(values)}` }]);
  const problems = (["template", "instance"] as const)
    .filter((path) => values[path] !== undefined && !isRecord(values[path]))
    .map((path) => ({ path, message: rule(values[path]) }));
  if (problems.length > 0) throw refusal(manifest, problems);
  return values;
}

function refusal(manifest: Manifest, problems: readonly ManifestProblem[]): ManifestError {
  return new ManifestError("invalid-parameters", `parameters of ${JSON.stringify(manifest.name)}`, problems);
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
