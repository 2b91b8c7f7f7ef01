import type { Manifest } from "@changeover/manifest";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { showValue } from "./show-value.js";
import { unknownKeys } from "./unknown-keys.js";

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
  if (typeof given !== "object" || given === null) {
    throw new ProductRuntimeError("invalid-option", `timeouts must be an object, is ${showValue(given)}`);
  }
  const defaults = { pullMs: 600_000, engineMs: 30_000, readyMs: manifest.health?.startupTimeoutMs ?? 60_000 };
  for (const problem of unknownKeys(given, Object.keys(defaults))) {
    throw new ProductRuntimeError("invalid-option", `timeouts: ${problem}`);
  }
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of chosen) {
    if (!(typeof value === "number" && value > 0)) {
      throw new ProductRuntimeError("invalid-option", `timeouts.${name} must be above 0, is ${showValue(value)}`);
    }
  }
  return { ...defaults, ...Object.fromEntries(chosen) };
}
