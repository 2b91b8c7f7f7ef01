import { assertManifest } from "./assert-manifest.js";
import { layersOf, refusal, subjectOf, type GivenValues } from "./given-values.js";
import type { Manifest, StagedFile, StagedSecret } from "./manifest.js";
import type { ManifestProblem } from "./manifest-error.js";
import { typeOf } from "./problems.js";
import { Secret } from "./secret.js";
import { unknownName } from "./suggest.js";

/** What a file holds: a text, or bytes. */
export type FileContent = string | Uint8Array;

/** What is given for a manifest's files and secrets, by name: that of the instance wins over that of its template. */
export type FileValues = GivenValues<FileContent | Secret<FileContent>>;

/** A file to put into a container, where it can only be read: what is a secret, by its owner alone. */
export interface ResolvedFile {
  readonly name: string;
  /** Where it is in the container. */
  readonly path: string;
  readonly content: FileContent | Secret<FileContent>;
}

/**
 * The files of an instance, secret ones with a `Secret` for a content: what was given for the instance over that for
 * its template over the manifest's defaults. Files that nobody gave are left out.
 *
 * @throws {@link ManifestError} with code `invalid-parameters` that names every unknown, missing and unusable file at
 * once, and nothing of what is in them; with `invalid-manifest` when the manifest is not what `parseManifest` returns.
 *
 * @example
 * ```ts
 * import { parseManifest, resolveFiles } from "@changeover/manifest";
 *
 * const manifest = parseManifest({
 *   schemaVersion: 2,
 *   name: "encoder",
 *   files: { presets: { path: "/etc/encoder/presets.json", default: "{}" } },
 *   secrets: { license: { required: true } },
 * });
 * console.log(resolveFiles(manifest, { instance: { license: "hunter2" } }));
 * // [ { name: 'presets', path: '/etc/encoder/presets.json', content: '{}' },
 * //   { name: 'license', path: '/run/secrets/license', content: [secret] } ]
 * ```
 */
export function resolveFiles(manifest: Manifest, values: FileValues = {}): readonly ResolvedFile[] {
  assertManifest(manifest);
  const subject = subjectOf("files", manifest);
  const { effective, given } = layersOf(subject, values);
  const known: Readonly<Record<string, StagedFile | StagedSecret>> = { ...manifest.files, ...manifest.secrets };
  const names = Object.keys(known);
  const problems: ManifestProblem[] = [];
  for (const [name, value] of given) {
    const message = names.includes(name) ? problemWith(value) : unknownFile(name, names);
    if (message !== undefined) problems.push({ path: name, message });
  }

  const files: ResolvedFile[] = [];
  for (const [name, { path, required }] of Object.entries(known)) {
    const content = effective.get(name) ?? manifest.files[name]?.default;
    if (content !== undefined) {
      const mustHide = Object.hasOwn(manifest.secrets, name) && !Secret.isInstance(content);
      files.push({ name, path, content: mustHide ? new Secret(content) : content });
    } else if (required) {
      problems.push({ path: name, message: `is missing, and the product requires it at ${path}` });
    }
  }
  if (problems.length > 0) throw refusal(subject, problems);
  return files;
}

function problemWith(given: unknown): string | undefined {
  const content = Secret.isInstance(given) ? given.reveal() : given;
  if (typeof content === "string" || content instanceof Uint8Array) return undefined;
  return `must be a string or a Uint8Array, not ${typeOf(content)}`;
}

function unknownFile(name: string, known: readonly string[]): string {
  return known.length === 0 ? "is unknown: the product takes no files" : unknownName(name, known);
}
