import { resolveAccelerator, type Accelerator } from "./accelerator.js";
import { assertManifest } from "./assert-manifest.js";
import { isExtensionKey, type Extensions } from "./extensions.js";
import type { Manifest } from "./manifest.js";
import { ManifestError, type ManifestProblem } from "./manifest-error.js";
import { isRecord, shown, typeOf } from "./problems.js";
import { checkNamed } from "./resolve-parameters.js";
import { unknownName } from "./suggest.js";

/** A record by which a control plane makes instances of a product that are alike. */
export interface Template extends Extensions {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The choice for instances that make none. */
  readonly accelerator?: Accelerator;
  /** Values of parameters for instances that give none: the `template` of `resolveParameters`. Default: none. */
  readonly parameterDefaults: Readonly<Record<string, string | number | boolean>>;
}

const FIELDS = ["name", "title", "description", "accelerator", "parameterDefaults"];

/**
 * Checks a template, as it comes out of `JSON.parse`, against the manifest of its product, so that a mistake shows when
 * the template is kept and not when an instance is made. As a record that is kept and listed it holds no secret.
 *
 * @throws {@link ManifestError} with code `invalid-template` that lists every problem, and no value of a parameter; with
 * `invalid-manifest` when the manifest is not what `parseManifest` returns.
 *
 * @example
 * ```ts
 * import { parseManifest, parseTemplate, resolveParameters } from "@changeover/manifest";
 *
 * const manifest = parseManifest({ schemaVersion: 2, name: "encoder", parameters: { BITRATE: { type: "number" } } });
 * const template = parseTemplate({ name: "hd", parameterDefaults: { BITRATE: 6000 } }, manifest);
 * resolveParameters(manifest, { template: template.parameterDefaults }); // { BITRATE: "6000" }
 * ```
 */
export function parseTemplate(input: unknown, manifest: Manifest): Template {
  assertManifest(manifest);
  if (!isRecord(input)) {
    const message = `must be a JSON object, not ${typeOf(input)}`;
    throw new ManifestError("invalid-template", "template", [{ path: "", message }]);
  }
  const problems = [...problemsOf(input, manifest)];
  if (problems.length > 0) {
    const subject = typeof input["name"] === "string" ? `template ${shown(input["name"])}` : "template";
    throw new ManifestError("invalid-template", subject, problems);
  }
  return { parameterDefaults: {}, ...input } as Template;
}

function* problemsOf(input: Readonly<Record<string, unknown>>, manifest: Manifest): Generator<ManifestProblem> {
  const { name, accelerator, parameterDefaults = {} } = input;
  if (typeof name !== "string" || name === "") yield { path: "name", message: "must be a string that is not empty" };
  for (const path of ["title", "description"]) {
    const found = input[path];
    if (found === undefined || typeof found === "string") continue;
    yield { path, message: `must be a string, not ${shown(found)}` };
  }
  if (accelerator !== undefined) yield* acceleratorProblems(accelerator, manifest);
  if (isRecord(parameterDefaults)) yield* defaultProblems(parameterDefaults, manifest);
  else
    yield {
      path: "parameterDefaults",
      message: `must be an object of names and values, not ${typeOf(parameterDefaults)}`,
    };
  for (const key of Object.keys(input)) {
    if (!FIELDS.includes(key) && !isExtensionKey(key)) yield { path: key, message: unknownName(key, FIELDS) };
  }
}

function* acceleratorProblems(choice: unknown, manifest: Manifest): Generator<ManifestProblem> {
  try {
    resolveAccelerator(manifest.accelerator, choice as Accelerator);
  } catch (error) {
    if (!ManifestError.isInstance(error)) throw error;
    for (const { message } of error.problems) yield { path: "accelerator", message };
  }
}

function* defaultProblems(defaults: Readonly<Record<string, unknown>>, manifest: Manifest): Generator<ManifestProblem> {
  for (const [name, value] of Object.entries(defaults)) {
    const path = `parameterDefaults.${name}`;
    const checked = checkNamed(manifest, name, value);
    if ("problem" in checked) yield { path, message: checked.problem };
    else if (typeof checked.value !== "string") {
      yield { path, message: "must be left out, because a secret has no default" };
    }
  }
}
