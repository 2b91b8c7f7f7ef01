import type { Manifest } from "@changeover/manifest";
import type { AcceleratorHardware } from "./accelerators/hardware.js";
import type { Engine } from "./engine.js";
import type { LaunchChoices } from "./launch-choices.js";
import { subjectOf } from "./launch-failure.js";
import type { LaunchTimeouts } from "./launch-timeouts.js";
import type { Redact } from "./redact.js";

/** What the steps of one launch share. */
export interface LaunchAttempt {
  readonly engine: Engine;
  readonly manifest: Manifest;
  readonly choices: LaunchChoices;
  readonly hardware: AcceleratorHardware;
  readonly redact: Redact;
  readonly timeouts: Required<LaunchTimeouts>;
  /** What the caller changes in order to wait longer for readiness. */
  readonly readyTimeoutName: "health.startupTimeoutMs" | "timeouts.readyMs";
  readonly signal: AbortSignal | undefined;
}

/** The launch as the subject of a sentence. */
export const launching = ({ choices }: LaunchAttempt): string => `launching ${subjectOf(choices)}`;
