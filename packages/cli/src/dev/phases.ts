import type { Phase } from "@changeover/migration-worker";

/** Written here too, so that help and mistakes are answered without loading the worker. */
export const phases = ["propose", "place", "ready", "stop", "apply", "commit"] as const satisfies readonly Phase[];

/** The phase that comes next: the first where there is none, none after the last. */
export function phaseAfter(phase: Phase | undefined): Phase | undefined {
  return phases[phase === undefined ? 0 : phases.indexOf(phase) + 1];
}
