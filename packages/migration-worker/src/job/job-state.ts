import type { CommittedFrame, WorkerAbortFrame } from "@changeover/migration-protocol";
import type { Handover, Side } from "../handover/handover.js";
import type { OnIndeterminate } from "../migration-worker.js";

/** One process of a job as plain data. */
export interface InstanceState {
  /** The hash of its token. */
  readonly id: string;
  /** The active instance is a source, also between handovers. */
  readonly side: Side;
  /** The migration that a target was placed for; kept when it has become the active instance. */
  readonly migrationId?: string;
  /** The fencing epoch under which it writes. */
  readonly epoch: number;
  /** The version of the protocol on its connection; absent where there is none. */
  readonly version?: 1 | 2;
  /** The process that spoke last, by its session, and the last of its reports that was taken. */
  readonly session?: string;
  readonly lastSeq: number;
  /** How it died, once its placement has said so. */
  readonly gone?: string;
  /**
   * What it must hear: again after every reconnect, until it has answered something newer. A source is owed its abort;
   * whoever took part in a handover that was committed is owed that news.
   */
  readonly owed?: WorkerAbortFrame | CommittedFrame;
}

/** A handover in flight, or one that ended as indeterminate and whose target may still be active. */
export interface HandoverState {
  readonly rules: Handover;
  readonly targetId: string;
  readonly onIndeterminate: OnIndeterminate;
  /** How long an instance that is being removed is waited for; a worker that is restarted keeps to it. */
  readonly fencingMs: number;
}

/** A job as plain data: all that decides what is told to its instances. */
export interface JobState {
  /** Grows with every handover, and whenever a source resumes after its target may have written. */
  readonly epoch: number;
  readonly active: InstanceState;
  /** The other instance of the handover in flight: its target, and from the commit on the source that leaves. */
  readonly other?: InstanceState;
  readonly handover?: HandoverState;
}

/** A job that has just been registered. */
export function newJob(activeId: string): JobState {
  return { epoch: 1, active: { id: activeId, side: "source", epoch: 1, lastSeq: 0 } };
}

export function instanceById({ active, other }: JobState, id: string): InstanceState | undefined {
  return active.id === id ? active : other?.id === id ? other : undefined;
}

/** A target that has been promoted stays the target of the handover that is still ending. */
export function sideOf({ handover }: JobState, id: string): Side {
  return handover?.targetId === id ? "target" : "source";
}

export function instanceOn(job: JobState, side: Side): InstanceState | undefined {
  return [job.active, job.other].find((instance) => instance !== undefined && sideOf(job, instance.id) === side);
}

export function withInstance(job: JobState, instance: InstanceState): JobState {
  return job.active.id === instance.id ? { ...job, active: instance } : { ...job, other: instance };
}

const reportsOf: Record<Side, ReadonlySet<string>> = {
  source: new Set(["state", "state-refused", "source-stopped-output", "abort"]),
  target: new Set(["target-ready", "target-applied", "abort"]),
};

/** Whether an instance can make a report at all, however late; one that was a target may still repeat a target's. */
export function mayReport({ side, migrationId }: InstanceState, type: string): boolean {
  return reportsOf[side].has(type) || (migrationId !== undefined && reportsOf.target.has(type));
}

/** Why a handover cannot begin. */
export function refusalOf({ handover }: JobState): string | undefined {
  if (!handover) return undefined;
  const { migrationId, step } = handover.rules;
  return step.at === "ended"
    ? `the target of handover ${migrationId} may be active: it is not known to be gone, so remove it first`
    : `handover ${migrationId} of this job is in flight`;
}
