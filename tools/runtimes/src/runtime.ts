import type { Placement } from "@changeover/migration-worker";
import type { JobEvent } from "./job-plan.js";

/** A running job, seen from outside. It is a placement, so that a worker can remove it. */
export interface Instance extends Placement {
  readonly events: readonly JobEvent[];
  /** What the runtime said beside that: unhandled errors, rejections, warnings. A case in which it says any fails. */
  readonly complaints: readonly string[];
}

export interface Runtime {
  readonly name: string;
  readonly version: string;
  readonly hasWebSocket: boolean;
  /** Where pages of this runtime come from; undefined where jobs are processes. */
  readonly origin: string | undefined;
  /** Starts the job of a conformance run, with the environment of the process that it starts. */
  readonly conformanceCommand: readonly string[];
  start(env: Record<string, string>): Promise<Instance>;
  stop(): Promise<void>;
}
