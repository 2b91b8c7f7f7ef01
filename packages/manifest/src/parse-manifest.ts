import { examine } from "./examine.js";
import type { Manifest } from "./manifest.js";
import { unknownName } from "./suggest.js";

/**
 * Checks a manifest as its author writes it and it comes out of `JSON.parse`, brings it to the current schema version,
 * and fills in the defaults. A misspelt field is one that silently does nothing, so no unknown field is taken, except
 * those that start with `x-`; `readManifest` is for manifests that others wrote. A field `$schema`, by which editors find
 * the JSON Schema, is dropped.
 *
 * @throws {@link ManifestError} that lists every problem: code `unsupported-schema-version` when the manifest was
 * written for a newer Changeover, otherwise `invalid-manifest`.
 *
 * @example
 * ```ts
 * import { parseManifest } from "@changeover/manifest";
 *
 * const manifest = parseManifest({
 *   schemaVersion: 2,
 *   name: "encoder",
 *   accelerator: { mode: "default", value: "nvidia" },
 *   parameters: {
 *     BITRATE: { type: "number", default: 6000, help: "in kbit/s" },
 *     STREAM_KEY: { required: true, secret: true },
 *   },
 *   health: { path: "/healthz" },
 *   resources: { memory: "512m" },
 *   handover: { supported: true },
 * });
 * console.log(manifest.ports.control, manifest.resources.memory); // 4321 536870912
 * ```
 */
export function parseManifest(input: unknown): Manifest {
  const { manifest } = examine(input, (unknownKeys) =>
    unknownKeys.map(({ path, known }) => ({
      path: path.join("."),
      message: unknownName(path.at(-1) ?? "", known),
    })),
  );
  return manifest;
}
