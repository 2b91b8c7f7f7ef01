import { newClientState, type ClientState } from "@changeover/migration-client/internal";
import type {
  HelloFrame,
  ReportFrame,
  ReportFrameV2,
  WorkerToJobFrame,
  WorkerToJobFrameV2,
} from "@changeover/migration-protocol";
import type { SourceLost } from "../../src/handover/handover.js";
import { newJob, type JobState } from "../../src/job/job-state.js";
import type { JournalRecord } from "../../src/job/journal-record.js";
import type { OnIndeterminate } from "../../src/migration-worker.js";

/** What the world may do: fixed for one search. */
export interface Setting {
  /** The version of the protocol that each process speaks, in the order in which they are started. */
  readonly versions: readonly (1 | 2)[];
  readonly sourceLost: SourceLost;
  readonly onIndeterminate: OnIndeterminate;
  /** Whether sources resume on their own when they hear nothing of the worker. */
  readonly resumesAlone: boolean;
  /** How often something goes wrong, at any moment: a lost connection, a crash, a deadline, a full disk, … */
  readonly faults: number;
  /** The faults that may happen; all by default. */
  readonly only?: RegExp;
  readonly handovers: number;
}

/** One connection as both ends see it, and what is on its way. */
export interface Link {
  client: "down" | "greeting" | "up";
  /** `stale`: the connection is lost, and the worker does not know it yet. */
  worker: "none" | "open" | "stale";
  toWorker: (HelloFrame | ReportFrame | ReportFrameV2)[];
  toJob: (WorkerToJobFrame | WorkerToJobFrameV2)[];
}

/** A process of the job with the shipped client in it. */
export interface Process {
  isAlive: boolean;
  readonly version: 1 | 2;
  client: ClientState;
  link: Link;
  /** Whether it produces the job's output, and under which epoch it writes; version 1 knows of none. */
  isActive: boolean;
  epoch: number | null;
  /** It has given the worker up for lost and resumed on its own. */
  hasResumedAlone: boolean;
  /** The commands that its handlers were run for. */
  handled: string[];
}

/** What a worker has in memory. */
export interface WorkerProcess {
  job: JobState;
  placing: { readonly id: string; readonly isStarted: boolean } | null;
  /** The processes that it removes, by id. */
  removing: string[];
  /** The processes of whose death it has heard. */
  buried: string[];
  /** What a worker before it had placed, and it has to look for. */
  lost: string | null;
}

/** Everything: one state of the search. A step copies it and changes the copy. */
export interface World {
  faults: number;
  /** Handovers that have been begun. */
  begun: number;
  worker: WorkerProcess | null;
  journal: JournalRecord | null;
  processes: Record<string, Process>;
  /** Who wrote last, and under which epoch. */
  writer: { readonly id: string; readonly epoch: number | null } | null;
  /** How the last handover ended. */
  end: string | null;
}

export const processId = (number: number): string => `p${number}`;
export const migrationId = (number: number): string => `m${number}`;

export function initialWorld(setting: Setting): World {
  const first = newProcess(setting, 0);
  first.isActive = true;
  first.epoch = first.version === 2 ? 1 : null;
  const world: World = {
    faults: setting.faults,
    begun: 0,
    worker: { job: newJob(processId(0)), placing: null, removing: [], buried: [], lost: null },
    journal: null,
    processes: { [processId(0)]: first },
    writer: { id: processId(0), epoch: first.epoch },
    end: null,
  };
  return world;
}

export function newProcess({ versions, resumesAlone }: Setting, number: number): Process {
  const isTarget = number > 0;
  const times = { getStateTimeoutMs: 9_000, resumeAfterMs: resumesAlone ? 60_000 : null };
  return {
    isAlive: true,
    version: versions[number % versions.length] ?? 2,
    client: newClientState(isTarget ? "target" : "source", isTarget ? migrationId(number) : undefined, times),
    link: { client: "down", worker: "none", toWorker: [], toJob: [] },
    isActive: false,
    epoch: null,
    hasResumedAlone: false,
    handled: [],
  };
}

/** A copy that can be changed. The states of client and worker are never changed, only replaced. */
export function copy(world: World): World {
  const processes: Record<string, Process> = {};
  for (const [id, process] of Object.entries(world.processes)) {
    const { link, handled } = process;
    processes[id] = {
      ...process,
      handled: [...handled],
      link: { ...link, toWorker: [...link.toWorker], toJob: [...link.toJob] },
    };
  }
  const { worker } = world;
  return {
    ...world,
    processes,
    worker: worker && { ...worker, removing: [...worker.removing], buried: [...worker.buried] },
  };
}

/** A promise was broken. */
export class Broken extends Error {}
