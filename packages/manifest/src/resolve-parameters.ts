import { assertManifest } from "./assert-manifest.js";
import { layersOf, refusal, subjectOf, type GivenValues } from "./given-values.js";
import type { Manifest } from "./manifest.js";
import type { ManifestProblem } from "./manifest-error.js";
import { RESERVED_PREFIX } from "./parameter-name.js";
import { checkValue, type CheckedValue, type ParameterValue } from "./parameter-value.js";
import type { Secret } from "./secret.js";
import { unknownName } from "./suggest.js";

/** Values given for a manifest's parameters, by name: those of the instance win over those of its template. */
export type ParameterValues = GivenValues<ParameterValue>;

/** The environment of an instance: texts, and secrets that cannot be printed. `revealParameters` makes texts of all. */
export type ResolvedParameters = Readonly<Record<string, string | Secret>>;

/**
 * The environment of an instance: its own values over those of its template over the manifest's defaults. An empty
 * string is a value of a string; `undefined` is none. Parameters that nobody gave a value are left out. Values may be
 * given as an environment has them (`"25"`) or typed (`25`); those of secret parameters, and those given as a `Secret`,
 * come back as a `Secret`.
 *
 * @throws {@link ManifestError} with code `invalid-parameters` that names every unknown, missing and unusable
 * parameter at once, and no value; with `invalid-manifest` when the manifest is not what `parseManifest` returns.
 *
 * @example
 * ```ts
 * import { parseManifest, resolveParameters } from "@changeover/manifest";
 *
 * const manifest = parseManifest({
 *   schemaVersion: 2,
 *   name: "encoder",
 *   parameters: { BITRATE: { type: "number", default: 6000 }, PRESET: {}, STREAM_KEY: { secret: true } },
 * });
 * const instance = { STREAM_KEY: "hunter2" };
 * console.log(resolveParameters(manifest, { template: { PRESET: "fast" }, instance }));
 * // { BITRATE: '6000', PRESET: 'fast', STREAM_KEY: [secret] }
 * ```
 */
export function resolveParameters(manifest: Manifest, values: ParameterValues = {}): ResolvedParameters {
  assertManifest(manifest);
  const subject = subjectOf("parameters", manifest);
  const { effective, given } = layersOf(subject, values);
  const problems: ManifestProblem[] = [];
  for (const [name, value] of given) {
    const checked = checkNamed(manifest, name, value);
    if ("problem" in checked) problems.push({ path: name, message: checked.problem });
  }

  const resolved: [string, string | Secret][] = [];
  for (const [name, parameter] of Object.entries(manifest.parameters)) {
    const value = effective.has(name) ? effective.get(name) : parameter.default;
    if (value !== undefined) {
      const checked = checkValue(parameter, value);
      if ("value" in checked) resolved.push([name, checked.value]);
    } else if (parameter.required) {
      problems.push({ path: name, message: "is missing, and the product requires a value" });
    }
  }
  if (problems.length > 0) throw refusal(subject, problems);
  return Object.fromEntries(resolved);
}

/**
 * The environment as the engine takes it: every secret in the open. Call it as late as can be.
 *
 * @example
 * ```ts
 * import { parseManifest, resolveParameters, revealParameters } from "@changeover/manifest";
 *
 * const manifest = parseManifest({ schemaVersion: 2, name: "encoder", parameters: { STREAM_KEY: { secret: true } } });
 * const env = revealParameters(resolveParameters(manifest, { instance: { STREAM_KEY: "hunter2" } }));
 * console.log(env["STREAM_KEY"]); // hunter2
 * ```
 */
export function revealParameters(parameters: ResolvedParameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, typeof value === "string" ? value : value.reveal()]),
  );
}

/** Checks a value under a name that may be that of no parameter. */
export function checkNamed(manifest: Manifest, name: string, value: unknown): CheckedValue {
  const parameter = Object.hasOwn(manifest.parameters, name) ? manifest.parameters[name] : undefined;
  if (parameter !== undefined) return checkValue(parameter, value);
  if (name.startsWith(RESERVED_PREFIX)) {
    return { problem: `is reserved: names with ${RESERVED_PREFIX} are no parameters` };
  }
  const known = Object.keys(manifest.parameters);
  return { problem: known.length === 0 ? "is unknown: the product has no parameters" : unknownName(name, known) };
}
