import { examine } from "./examine.js";
import type { Manifest } from "./manifest.js";

/** A manifest that was read at run time. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** Paths of what was in it and is not known here, such as `health.novelty`, for a warning. */
  readonly unknownKeys: readonly string[];
}

/**
 * Reads a manifest that somebody else wrote: that of an image, or what a product serves. It may come from a later
 * release that knows more fields, so unknown ones are left out and listed; in all else it is as strict as
 * `parseManifest`.
 *
 * @throws {@link ManifestError} as `parseManifest`.
 *
 * @example
 * ```ts
 * import { readManifest } from "@changeover/manifest";
 *
 * const response = await fetch("http://127.0.0.1:4321/manifest");
 * const { manifest, unknownKeys } = readManifest(await response.json());
 * if (unknownKeys.length > 0) console.warn(`${manifest.name} says what is not known here: ${unknownKeys.join(", ")}`);
 * ```
 */
export function readManifest(input: unknown): ReadManifest {
  const { manifest, unknownKeys } = examine(input, () => []);
  return { manifest, unknownKeys: unknownKeys.map(({ path }) => path.join(".")) };
}
