/**
 * Why a {@link ManifestError} was thrown.
 *
 * - `invalid-manifest`: the manifest breaks the schema, or is not what `parseManifest` returns.
 * - `unsupported-schema-version`: it was written for a newer Changeover.
 * - `invalid-accelerator-choice`: the chosen accelerator is not one that the manifest allows.
 * - `invalid-parameters`: values or files are missing, unknown or not of their type.
 * - `invalid-template`: a template does not fit the manifest of its product.
 * - `invalid-label`: the label of an image is too long or no JSON.
 */
export type ManifestErrorCode =
  | "invalid-manifest"
  | "unsupported-schema-version"
  | "invalid-accelerator-choice"
  | "invalid-parameters"
  | "invalid-template"
  | "invalid-label";

/** One thing that is wrong. `path` is dotted (`health.path`) and empty for the whole. */
export interface ManifestProblem {
  readonly path: string;
  readonly message: string;
}

const brand = Symbol.for("@changeover/manifest/ManifestError");

/** A manifest, or the choices made for it, cannot be used. The message lists every problem; no value of a secret. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly code: ManifestErrorCode;
  /** All problems at once, so that they can be mended at once. */
  readonly problems: readonly ManifestProblem[];

  constructor(
    code: ManifestErrorCode,
    subject: string,
    problems: readonly ManifestProblem[],
    options?: { cause?: unknown },
  ) {
    super(describe(subject, problems), options);
    this.code = code;
    this.problems = problems;
  }

  get [brand](): true {
    return true;
  }

  /**
   * True for an error of this class, also one of another copy of this package: `instanceof` knows only its own.
   *
   * @example
   * ```ts
   * import { ManifestError, parseManifest } from "@changeover/manifest";
   *
   * try {
   *   parseManifest({ schemaVersion: 1 });
   * } catch (error) {
   *   if (ManifestError.isInstance(error)) console.error(error.code, error.problems);
   * }
   * ```
   */
  static isInstance(value: unknown): value is ManifestError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

function describe(subject: string, problems: readonly ManifestProblem[]): string {
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1 ? `${subject}: ${lines[0]}` : `${subject}:${lines.map((line) => `\n  - ${line}`).join("")}`;
}
