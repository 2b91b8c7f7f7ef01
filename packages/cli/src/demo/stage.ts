import type { Placement } from "@changeover/migration-worker";

/** A running copy of the job. */
export interface Instance extends Placement {
  /** Kills it as a crash would: SIGKILL, at once. */
  kill(): Promise<void>;
}

/** Where the demo runs its jobs. */
export interface Stage {
  readonly runtime: "process" | "docker";
  /** What the jobs run on, for a person. */
  readonly description: string;
  /** Address that the worker and the collector listen on. */
  readonly listenHost: string;
  /** Name by which the jobs reach that address. */
  readonly reachHost: string;
  start(env: Record<string, string>): Promise<Instance>;
  /** Removes whatever still runs. */
  close(): Promise<void>;
}
