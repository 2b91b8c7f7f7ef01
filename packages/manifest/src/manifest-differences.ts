import { assertManifest } from "./assert-manifest.js";
import type { Manifest } from "./manifest.js";
import type { ManifestProblem } from "./manifest-error.js";
import { isRecord, shown } from "./problems.js";

/** What two manifests are called in the words of their differences. */
export interface ManifestOrigins {
  /** Default `the image's label`. */
  readonly first?: string;
  /** Default `the product`. */
  readonly second?: string;
}

/**
 * What two manifests do not say alike, each difference with its path and in words; none when they say the same, in
 * whatever order. The first is that of an image, by which its product was started, and the second is what the product
 * serves, unless their origins say otherwise.
 *
 * @throws {@link ManifestError} with code `invalid-manifest` when one is not what `parseManifest` returns.
 *
 * @example
 * ```ts
 * import { manifestDifferences, parseManifest } from "@changeover/manifest";
 *
 * const label = parseManifest({ schemaVersion: 2, name: "encoder", resources: { cpus: 2 } });
 * const served = parseManifest({ schemaVersion: 2, name: "encoder", ports: { metrics: 9090 } });
 * for (const { path, message } of manifestDifferences(label, served)) console.warn(`${path}: ${message}`);
 * // ports.metrics: the product says 9090, the image's label says nothing
 * // resources.cpus: the image's label says 2, the product says nothing
 * ```
 */
export function manifestDifferences(
  first: Manifest,
  second: Manifest,
  origins: ManifestOrigins = {},
): readonly ManifestProblem[] {
  assertManifest(first);
  assertManifest(second);
  const { first: a = "the image's label", second: b = "the product" } = origins;
  return [...differences([a, first], [b, second], [])].map(({ path, message }) => ({ path: path.join("."), message }));
}

interface Difference {
  readonly path: readonly string[];
  readonly message: string;
}

type Side = readonly [origin: string, value: unknown];

function* differences([a, first]: Side, [b, second]: Side, path: readonly string[]): Generator<Difference> {
  if (isRecord(first) && isRecord(second)) {
    // A default that one side keeps secret is not to be read from the other.
    const hidden = first["secret"] === true || second["secret"] === true ? ["default"] : [];
    for (const key of new Set([...Object.keys(first), ...Object.keys(second)])) {
      const at = [...path, key];
      const found = [...differences([a, own(first, key)], [b, own(second, key)], at)];
      if (found.length > 0 && hidden.includes(key)) yield { path: at, message: `${a} and ${b} do not say the same` };
      else yield* found;
    }
  } else if (Array.isArray(first) && Array.isArray(second)) {
    const onlyFirst = without(first, second);
    const onlySecond = without(second, first);
    if (onlyFirst.length > 0) yield { path, message: `only ${a} lists ${onlyFirst.map(said).join(", ")}` };
    if (onlySecond.length > 0) yield { path, message: `only ${b} lists ${onlySecond.map(said).join(", ")}` };
  } else if (first === undefined) {
    yield { path, message: `${b} says ${said(second)}, ${a} says nothing` };
  } else if (second === undefined) {
    yield { path, message: `${a} says ${said(first)}, ${b} says nothing` };
  } else if (first !== second) {
    yield { path, message: `${a} says ${said(first)}, ${b} says ${said(second)}` };
  }
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The elements of an array that another one does not have. */
function without(array: readonly unknown[], other: readonly unknown[]): unknown[] {
  const there = new Set(other.map(canonical));
  return array.filter((value) => !there.has(canonical(value)));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function said(value: unknown): string {
  if (typeof value !== "object" || value === null) return shown(value);
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
