import type { Manifest } from "@changeover/manifest";
import { ProductRuntimeError } from "./product-runtime-error.js";

/** How long the parts of a launch may take, in milliseconds. */
export interface LaunchTimeouts {
  /** A pull of the image, when it is missing. Default 600,000. */
  readonly pullMs?: number;
  /** Each request to the engine. Default 30,000. */
  readonly engineMs?: number;
  /** From the start until ready. Default: the manifest's `health.startupTimeoutMs`. */
  readonly readyMs?: number;
}

/** The time-outs with their defaults. */
export function resolveTimeouts(manifest: Manifest, given: LaunchTimeouts = {}): Required<LaunchTimeouts> {
  const defaults = { pullMs: 600_000, engineMs: 30_000, readyMs: manifest.health?.startupTimeoutMs ?? 60_000 };
  for (const [name, value] of Object.entries(given)) {
    if (!(typeof value === "number" && value > 0)) {
      throw new ProductRuntimeError("invalid-option", `timeouts.${name} must be above 0, is ${String(value)}`);
    }
  }
  return { ...defaults, ...given };
}
