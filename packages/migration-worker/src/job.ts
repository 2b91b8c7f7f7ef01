import type { WorkerAbortFrame } from "@changeover/migration-protocol";
import type { HandoverRun } from "./handover/handover-run.js";
import type { Side } from "./handover/transition.js";
import type { JobConnection, Report } from "./job-connection.js";
import type { Placement } from "./placement.js";

/** One process of a job, known by its token. */
export interface Instance {
  readonly job: Job;
  readonly tokenHash: string;
  /** The active instance is a source, also between handovers. */
  side: Side;
  /** The migration that a target was placed for; kept when it has become the active instance. */
  readonly migrationId?: string;
  placement?: Placement;
  connection?: JobConnection;
  /** What a source that may have stopped must hear: again after every reconnect, until it has answered something newer. */
  owedAbort?: WorkerAbortFrame;
}

/** Work that outlives its instances. */
export class Job {
  readonly jobId: string;
  readonly capabilities: readonly string[];
  active: Instance;
  handover?: { run: HandoverRun; target?: Instance };
  /** The target of a handover that ended as indeterminate: until it is gone it may be active. */
  unfenced?: Instance;

  constructor(jobId: string, capabilities: readonly string[], tokenHash: string) {
    this.jobId = jobId;
    this.capabilities = capabilities;
    this.active = { job: this, tokenHash, side: "source" };
  }
}

const reportsOf: Record<Side, ReadonlySet<Report["type"]>> = {
  source: new Set(["state", "state-refused", "source-stopped-output", "abort"]),
  target: new Set(["target-ready", "target-applied", "abort"]),
};

/** Whether an instance can make a report at all, however late; one that was a target may still repeat a target's. */
export function mayReport(instance: Instance, type: Report["type"]): boolean {
  if (reportsOf[instance.side].has(type)) return true;
  return instance.migrationId !== undefined && reportsOf.target.has(type);
}
