import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";
import { readManifest, type ReadManifest } from "./read-manifest.js";

/** Label of an image that carries the manifest of its product. */
export const MANIFEST_LABEL = "changeover.manifest";

/**
 * Longest text of that label, in bytes of UTF-8: 64 KiB. Linux takes at most twice that as one argument of a command,
 * such as `docker build --label`.
 */
export const MANIFEST_LABEL_MAX_BYTES = 64 * 1024;

/** Where a product serves its manifest as JSON, on its port `control`. */
export const MANIFEST_PATH = "/manifest";

const SUBJECT = `label ${MANIFEST_LABEL}`;

/**
 * The text of the label {@link MANIFEST_LABEL} for a manifest, as its author writes it or as `parseManifest` returns it.
 *
 * @throws {@link ManifestError} as `parseManifest`, and with code `invalid-label` when the text is too long.
 *
 * @example
 * ```ts
 * import { encodeManifestLabel, MANIFEST_LABEL } from "@changeover/manifest";
 *
 * const text = encodeManifestLabel({ schemaVersion: 2, name: "encoder" });
 * console.log(["build", "--label", `${MANIFEST_LABEL}=${text}`, "."]); // arguments of docker
 * ```
 */
export function encodeManifestLabel(manifest: unknown): string {
  parseManifest(manifest);
  const { $schema: _, ...carried } = Object(manifest);
  const text = JSON.stringify(carried);
  checkLength(text, "move what is long out of it, such as texts of files");
  return text;
}

/**
 * Reads the text of an image's label {@link MANIFEST_LABEL}, with the tolerance of `readManifest`.
 *
 * @throws {@link ManifestError} as `readManifest`, and with code `invalid-label` when the text is too long or no JSON.
 *
 * @example
 * ```ts
 * import { MANIFEST_LABEL, readManifestLabel } from "@changeover/manifest";
 *
 * function manifestOf(labels: Record<string, string>) {
 *   const text = labels[MANIFEST_LABEL];
 *   return text === undefined ? undefined : readManifestLabel(text).manifest;
 * }
 * ```
 */
export function readManifestLabel(text: string): ReadManifest {
  checkLength(text, "build the image with the text that encodeManifestLabel returns");
  return readManifest(parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refusal("is not JSON; build the image with the text that encodeManifestLabel returns", cause);
  }
}

function checkLength(text: string, advice: string): void {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MANIFEST_LABEL_MAX_BYTES) return;
  throw refusal(`has ${bytes} bytes, and at most ${MANIFEST_LABEL_MAX_BYTES} are read; ${advice}`);
}

function refusal(message: string, cause?: unknown): ManifestError {
  return new ManifestError("invalid-label", SUBJECT, [{ path: "", message }], cause === undefined ? {} : { cause });
}
