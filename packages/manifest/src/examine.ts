import { readEnvelope } from "./envelope.js";
import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { migrated } from "./migrate-manifest.js";
import { problemsOf } from "./problems.js";
import { manifestSchema } from "./schema/schema.js";
import { sift, type UnknownKey } from "./schema/sift.js";

const MAX_DEPTH = 32;

/** A manifest that breaks no rule of the schema, and what else was in it. */
export interface Examined {
  readonly manifest: Manifest;
  readonly unknownKeys: readonly UnknownKey[];
}

/**
 * Brings a manifest to the current version, checks it and fills in the defaults.
 *
 * @param problemsIn what the caller takes for a problem in the unknown keys.
 */
export function examine(
  input: unknown,
  problemsIn: (unknownKeys: readonly UnknownKey[]) => readonly ManifestProblem[],
): Examined {
  const envelope = readEnvelope(input);
  const { subject } = envelope;
  // Whoever compares, copies or writes a manifest walks it, and must not run out of stack.
  if (isDeeperThan(MAX_DEPTH, input)) {
    const message = `is nested more than ${MAX_DEPTH} levels deep`;
    throw new ManifestError("invalid-manifest", subject, [{ path: "", message }]);
  }
  const raw = migrated(envelope);
  const { value, unknownKeys } = sift(manifestSchema, raw);
  const result = manifestSchema.safeParse(value);
  const problems = [...(result.success ? [] : problemsOf(result.error.issues, raw)), ...problemsIn(unknownKeys)];
  if (!result.success || problems.length > 0) {
    throw new ManifestError("invalid-manifest", subject, problems, result.success ? {} : { cause: result.error });
  }
  const { $schema: _, ...manifest } = result.data;
  return { manifest, unknownKeys };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
