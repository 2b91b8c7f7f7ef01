import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { isRecord, typeOf } from "./problems.js";

/** Values by name in two layers: those of the instance win over those of its template. */
export interface GivenValues<Value> {
  readonly template?: Readonly<Record<string, Value>>;
  readonly instance?: Readonly<Record<string, Value>>;
}

/** The values that hold, by name; every other one was overridden. Those that are undefined count as left out. */
export interface Layers<Value> {
  readonly effective: ReadonlyMap<string, Value>;
  /** Every value that was given, the overridden ones too: a mistake in a template is one, whoever covers it. */
  readonly given: readonly (readonly [name: string, value: Value])[];
}

/** Puts the layers over each other. */
export function layersOf<Value>(subject: string, values: GivenValues<Value>): Layers<Value> {
  const rule = (value: unknown): string => `must be an object of names and values, not ${typeOf(value)}`;
  if (!isRecord(values)) throw refusal(subject, [{ path: "", message: `values ${rule(values)}` }]);
  const layers: GivenValues<Value> = values;
  const problems = (["template", "instance"] as const)
    .filter((path) => layers[path] !== undefined && !isRecord(layers[path]))
    .map((path) => ({ path, message: rule(layers[path]) }));
  if (problems.length > 0) throw refusal(subject, problems);
  const given = [...Object.entries(layers.template ?? {}), ...Object.entries(layers.instance ?? {})].filter(
    ([, value]) => value !== undefined,
  );
  return { effective: new Map(given), given };
}

/** An error that lists what is wrong with the values, once where both layers have the same mistake. */
export function refusal(subject: string, problems: readonly ManifestProblem[]): ManifestError {
  const different = new Map(problems.map((problem) => [`${problem.path}: ${problem.message}`, problem]));
  return new ManifestError("invalid-parameters", subject, [...different.values()]);
}

/** Names what values are for in errors. */
export function subjectOf(what: string, manifest: Manifest): string {
  return `${what} of ${JSON.stringify(manifest.name)}`;
}
