import {
  PROTOCOL_VERSION,
  type CommandFrame as Command,
  type CommittedFrame,
  type HelloAckFrame,
  type ReportFrame,
  type StateFrame,
  type StateRefusedFrame,
} from "@changeover/migration-protocol";

/** Frames by which a worker asks or tells something about a migration. Version 2 is told by the epoch. */
export type CommandFrame = (Command & { epoch?: number; deadlineMs?: number }) | CommittedFrame;

/** Answers to `get-state`. */
export type AnswerFrame = StateFrame | StateRefusedFrame;

/** Reports that a job makes of its own accord. */
export type JobReportFrame = Exclude<ReportFrame, AnswerFrame>;

/** One migration as this instance sees it. */
export interface Migration {
  /** Empty only before the first acknowledgement, when a report may already be made. */
  readonly id: string;
  readonly role: "source" | "target";
  /** Commands that have arrived, each of which is carried out once. */
  readonly seen: readonly CommandFrame["type"][];
  /** The epoch of the newest command; null in version 1. */
  readonly epoch: number | null;
  /** Whether this instance has reported that its output has stopped. */
  readonly hasStopped: boolean;
  readonly endedBy: "worker" | "job" | "commit" | null;
}

/** Who this instance is and what it may do: role, migration in progress, which command is new, which report makes sense. */
export interface SessionState {
  readonly role: "source" | "target";
  readonly isAcknowledged: boolean;
  /** The epoch under which this instance writes; null where nobody has said so. */
  readonly epoch: number | null;
  /** The id of the migration that this instance takes part in, or was the last to take part in. */
  readonly current: string | null;
  /** Oldest first. */
  readonly migrations: readonly Migration[];
}

/** The session after a command or a report, and why that is not to be carried out, if it is not. */
export interface Judged {
  readonly state: SessionState;
  readonly why?: string;
  /** Whether the worker is to hear the reason. */
  readonly refuses?: boolean;
}

// Commands of older migrations cannot arrive any more: a worker has one handover per job at a time.
const REMEMBERED_MIGRATIONS = 16;

export function newSession(role: "source" | "target", migrationId: string | undefined): SessionState {
  // Whether this is a target is not known before the acknowledgement: its reports wait under the id that it may have.
  const migration = newMigration(migrationId ?? "", "target");
  return { role, isAcknowledged: false, epoch: null, current: migration.id, migrations: [migration] };
}

export function migrationOf({ migrations }: SessionState, id: string | null): Migration | undefined {
  return migrations.find((migration) => migration.id === id);
}

/** The migration in progress. */
export function currentMigration(state: SessionState): Migration | undefined {
  const migration = migrationOf(state, state.current);
  return migration?.endedBy ? undefined : migration;
}

export function acknowledge(state: SessionState, { migration, protocol, epoch }: HelloAckFrame): SessionState {
  let next = state;
  if (!state.isAcknowledged) {
    // Only now has the migration that waits an id for certain, if there is one at all.
    const { id } = migration ?? {};
    const migrations = id === undefined ? [] : state.migrations.map((each) => ({ ...each, id }));
    next = { ...state, isAcknowledged: true, current: id ?? null, migrations };
  } else if (migration) {
    next = remember(
      { ...state, current: migration.id },
      knownAs("target", migrationOf(state, migration.id), migration.id),
    );
  } else if (migrationOf(state, state.current)?.role === "target") {
    // A target that is one no longer has taken over. A source may be in the middle of a migration: that goes on.
    next = { ...state, current: null };
  }
  next = { ...next, role: migration ? "target" : "source", epoch: epoch ?? null };
  if (protocol === PROTOCOL_VERSION) return next;
  // A worker of version 1 takes no answer from before, so the next question is new, whichever version asks it.
  const forget = (each: Migration): Migration => ({ ...each, seen: each.seen.filter((type) => type !== "get-state") });
  return { ...next, migrations: next.migrations.map(forget) };
}

/** Whether a command is to be carried out. If so its migration is from now on the one in progress. */
export function receive(state: SessionState, frame: CommandFrame): Judged {
  const { type, migrationId } = frame;
  const epoch = frame.epoch ?? null;
  const known = migrationOf(state, migrationId);
  // A source that has resumed on its own writes under the epoch that it had before. Where its target may have written,
  // the worker's abort brings a newer one, without which nobody's output would count.
  const isNewerAbort = type === "abort" && known?.endedBy === "job" && (epoch ?? 0) > (known.epoch ?? 0);
  if (known?.seen.includes(type) && !isNewerAbort) return { state, why: "it has been handled already" };
  const isQuestion = type === "get-state";
  const isEnd = type === "abort" || type === "committed";
  // A worker of version 1 asks as often as it needs an answer, after its own abort too, and then starts anew.
  const isAsked = isQuestion && epoch === null;
  const goesOn = isEnd ? known?.endedBy === "job" : isAsked && known?.endedBy !== "job";
  if (known?.endedBy && !goesOn) return { state, why: over(known), refuses: isQuestion };
  const role = type === "abort" ? state.role : ROLES[type];
  const migration = isEnd
    ? { ...(known ?? newMigration(migrationId, state.role)), endedBy: ENDS[type] }
    : knownAs(role, known?.endedBy ? undefined : known, migrationId);
  const seen = isAsked ? migration.seen : [...new Set([...migration.seen, type])];
  const next = {
    ...state,
    role,
    current: isEnd ? state.current : migrationId,
    epoch: type === "cutover-apply" || type === "abort" ? epoch : state.epoch,
  };
  return { state: remember(next, { ...migration, seen, epoch }) };
}

/** What each command makes of an instance, and how it ends its migration. */
const ROLES = {
  "get-state": "source",
  "initial-state": "target",
  "cutover-ready": "source",
  "cutover-apply": "target",
  committed: "source",
} as const;
const ENDS = { abort: "worker", committed: "commit" } as const;

/** Whether a report makes sense now. An abort that does ends the migration for this instance. */
export function report(state: SessionState, type: JobReportFrame["type"]): Judged {
  const migration = migrationOf(state, state.current);
  const no = (why: string): Judged => ({ state, why });
  if (!migration) return no("no migration is in progress");
  if (migration.endedBy) return no(over(migration));
  const cause = COMMAND_OF[type];
  if (type === "target-ready") {
    // A target may be ready before it has heard of a state, and where there is none.
    if (migration.role !== "target") return no("this instance is not a target");
  } else if (cause && !migration.seen.includes(cause)) return no(`${cause} has not arrived`);
  return {
    state: remember(state, {
      ...migration,
      endedBy: type === "abort" ? "job" : null,
      hasStopped: migration.hasStopped || type === "source-stopped-output",
    }),
  };
}

/** Whether a report that was not delivered on the last connection makes sense on a new one. */
export function mayStillSend(
  state: SessionState,
  { type, migrationId }: { readonly type: ReportFrame["type"]; readonly migrationId: string },
  version: 1 | 2,
): boolean {
  const migration = migrationOf(state, migrationId);
  // A worker of version 2 knows by the report itself which migration it belongs to, and ignores a late one.
  if (version === 2) return migration !== undefined;
  if (type === "state" || type === "state-refused") return false;
  return migrationId === state.current && (!migration?.endedBy || migration.endedBy === "job");
}

/** The migration cannot go on, because a report of it is larger than what the worker takes. */
export function gaveUp(state: SessionState, migrationId: string): SessionState {
  const migration = currentMigration(state);
  return migration?.id === migrationId ? remember(state, { ...migration, endedBy: "job" }) : state;
}

/** A no to `get-state` ends the migration without an abort. */
export function refused(state: SessionState, migrationId: string): SessionState {
  return migrationId === state.current ? { ...state, current: null } : state;
}

/** The migration in which this source has stopped and waits for the worker to end it, if by its own abort too. */
export function stoppedMigration(state: SessionState): Migration | undefined {
  const migration = migrationOf(state, state.current);
  const isTold = migration?.seen.some((type) => type === "abort" || type === "committed");
  return migration?.hasStopped && !isTold ? migration : undefined;
}

/** The source resumes on its own. The worker's abort would resume it a second time, so it counts as seen. */
export function resumed(state: SessionState, migration: Migration): SessionState {
  return remember(state, { ...migration, endedBy: "job", seen: [...migration.seen, "abort"] });
}

/** A migration in which this instance has another role than before starts anew. */
function knownAs(role: "source" | "target", known: Migration | undefined, id: string): Migration {
  return known?.role === role ? known : newMigration(id, role);
}

function remember(state: SessionState, migration: Migration): SessionState {
  const migrations = migrationOf(state, migration.id)
    ? state.migrations.map((each) => (each.id === migration.id ? migration : each))
    : [...state.migrations, migration].slice(-REMEMBERED_MIGRATIONS);
  return { ...state, migrations };
}

/**
 * The command that a report answers. A report out of turn would be a violation to a worker. It also tells a handler that
 * was pre-empted in an earlier migration from one of the present migration.
 */
export const COMMAND_OF: Partial<Record<JobReportFrame["type"], CommandFrame["type"]>> = {
  "target-ready": "initial-state",
  "source-stopped-output": "cutover-ready",
  "target-applied": "cutover-apply",
};

function over({ id, endedBy }: Migration): string {
  return `migration ${id} was ended by its ${endedBy}`;
}

function newMigration(id: string, role: "source" | "target"): Migration {
  return { id, role, seen: [], epoch: null, hasStopped: false, endedBy: null };
}
