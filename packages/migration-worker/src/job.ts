import type { CommittedFrame, WorkerAbortFrame } from "@changeover/migration-protocol";
import type { HandoverRun } from "./handover/handover-run.js";
import type { Side } from "./handover/transition.js";
import type { JobConnection, Report } from "./job-connection.js";
import type { InFlight, JournalRecord } from "./journal.js";
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
   * What this instance must hear: again after every reconnect, until it has answered something newer. A source is
   * owed its abort; whoever took part in a handover that was committed is owed that news.
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
  /** The handover that ended as indeterminate: until its target is gone that may be active. */
  unfenced?: { migrationId: string };
  /** What must be known of a handover should the worker die now. */
  inFlight?: InFlight;
  /** What the journal holds of this job. */
  written = "";
  /** Stops the timer after which a failed write is tried again. */
  stopRetry?: () => void;
  /** It is being unregistered: nothing new begins. */
  isLeaving = false;

  constructor(jobId: string, capabilities: readonly string[], tokenHash: string) {
    this.jobId = jobId;
    this.capabilities = capabilities;
    this.active = { job: this, tokenHash, side: "source", epoch: this.epoch, lastSeq: 0 };
  }

  /** The job as the journal had it. */
  static restore({ jobId, capabilities, epoch, active, owed, handover }: JournalRecord): Job {
    const job = new Job(jobId, capabilities, active.tokenHash);
    job.epoch = epoch;
    job.active = { ...job.active, ...active, ...(owed === undefined ? {} : { owed }) };
    if (handover) job.inFlight = handover;
    return job;
  }

  record(): JournalRecord {
    const { jobId, capabilities, epoch, inFlight: handover } = this;
    const { tokenHash, epoch: activeEpoch, migrationId, owed } = this.active;
    return {
      version: 1,
      jobId,
      capabilities: [...capabilities],
      epoch,
      active: { tokenHash, epoch: activeEpoch, ...(migrationId === undefined ? {} : { migrationId }) },
      ...(owed === undefined ? {} : { owed }),
      ...(handover === undefined ? {} : { handover }),
    };
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
