import type { Manifest } from "./manifest.js";
import { ManifestError } from "./manifest-error.js";
import { isRecord, typeOf } from "./problems.js";

/**
 * Refuses what is not complete, such as a manifest as it was written: whoever reads one relies on its defaults. What
 * `parseManifest` returned passes, also after a round trip through JSON.
 *
 * @throws {@link ManifestError} with code `invalid-manifest`.
 *
 * @example
 * ```ts
 * import { assertManifest } from "@changeover/manifest";
 *
 * function portsOf(manifest: unknown): number[] {
 *   assertManifest(manifest);
 *   return Object.values(manifest.ports);
 * }
 * ```
 */
export function assertManifest(value: unknown): asserts value is Manifest {
  if (!isRecord(value)) throw refusal("manifest", `must be what parseManifest returns, not ${typeOf(value)}`);
  const missing = [...missingIn(value)];
  if (missing.length === 0) return;
  const subject = typeof value["name"] === "string" ? `manifest ${JSON.stringify(value["name"])}` : "manifest";
  throw refusal(subject, `is not complete: pass what parseManifest returns, which fills in ${missing.join(", ")}`);
}

function* missingIn({ health, ...manifest }: Record<string, unknown>): Generator<string> {
  for (const field of ["accelerator", "parameters", "ports", "resources", "files", "secrets", "handover"]) {
    if (!isRecord(manifest[field])) yield field;
  }
  for (const field of ["capabilities", "privileges"]) {
    if (!Array.isArray(manifest[field])) yield field;
  }
  for (const [name, parameter] of Object.entries(isRecord(manifest["parameters"]) ? manifest["parameters"] : {})) {
    // Without them a secret would be taken for a plain value.
    const { type, required, secret } = Object(parameter);
    const isComplete = typeof type === "string" && typeof required === "boolean" && typeof secret === "boolean";
    if (!isComplete) yield `parameters.${name}`;
  }
  if (health === undefined) return;
  for (const field of ["intervalMs", "startupTimeoutMs", "failureThreshold"]) {
    if (typeof Object(health)[field] !== "number") yield `health.${field}`;
  }
}

function refusal(subject: string, message: string): ManifestError {
  return new ManifestError("invalid-manifest", subject, [{ path: "", message }]);
}
