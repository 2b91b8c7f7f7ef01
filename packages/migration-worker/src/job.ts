import type { CommittedFrame, WorkerAbortFrame } from "@changeover/migration-protocol";
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
  /** The fencing epoch under which this instance writes. */
  epoch: number;
  /** The process that spoke last, by its session, and the last of its reports that was taken. */
  session?: string;
  lastSeq: number;
  /**
   * What this instance must hear: again after every reconnect, until it has answered something newer. A source that may
   * have stopped is owed its abort; whoever took part in a handover that was committed is owed that news.
   */
  owed?: WorkerAbortFrame | CommittedFrame;
}

/** Work that outlives its instances. */
export class Job {
  readonly jobId: string;
  readonly capabilities: readonly string[];
  active: Instance;
  /** Grows with every handover, and whenever a source resumes after its target may have written. */
  epoch = 1;
  handover?: { run: HandoverRun; target?: Instance };
  /** The target of a handover that ended as indeterminate: until it is gone it may be active. */
  unfenced?: Instance;

  constructor(jobId: string, capabilities: readonly string[], tokenHash: string) {
    this.jobId = jobId;
    this.capabilities = capabilities;
    this.active = { job: this, tokenHash, side: "source", epoch: this.epoch, lastSeq: 0 };
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
