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
  /** Undefined only before the first acknowledgement, when a report may already be made. */
  readonly id: string | undefined;
  readonly role: "source" | "target";
  /** Commands that have arrived, each of which is carried out once. */
  readonly seen: ReadonlySet<CommandFrame["type"]>;
  readonly endedBy: "worker" | "job" | "commit" | undefined;
}

/** A yes with the migration it is about, or a no with the reason; `refuses` is there if the worker is to hear the no. */
export type Verdict =
  | { readonly ok: true; readonly migration: Migration }
  | { readonly ok: false; readonly why: string; readonly refuses?: Migration };

interface UndeliveredReport {
  readonly type: ReportFrame["type"];
  readonly migration: Migration;
}

type MutableMigration = { -readonly [K in keyof Migration]: Migration[K] } & { seen: Set<CommandFrame["type"]> };

// Commands of older migrations cannot arrive any more: a worker has one handover per job at a time.
const REMEMBERED_MIGRATIONS = 16;

/**
 * Who this instance is and what it may do: role, migration in progress, which command is new, which report makes
 * sense. No sockets, no clock, no handlers.
 */
export class Session {
  role: "source" | "target";
  #isAcknowledged = false;
  #current: MutableMigration | undefined;
  readonly #known = new Map<string, MutableMigration>();

  constructor(role: "source" | "target", migrationId: string | undefined) {
    this.role = role;
    // Whether this is a target is not known before the acknowledgement: its reports wait under a migration without id.
    this.#current = newMigration(migrationId, "target");
  }

  get migrationId(): string | undefined {
    return this.#current?.endedBy ? undefined : this.#current?.id;
  }

  isCurrent(migration: Migration): boolean {
    return migration === this.#current && !migration.endedBy;
  }

  acknowledge({ migration, protocol }: HelloAckFrame): void {
    if (migration) {
      if (!this.#isAcknowledged && this.#current) this.#remember(migration.id, this.#current);
      else this.#enter("target", migration.id);
      this.role = "target";
    } else {
      // A target that is one no longer has taken over. A source may be in the middle of a migration: that goes on.
      if (this.#current?.role === "target") this.#current = undefined;
      this.role = "source";
    }
    this.#isAcknowledged = true;
    // A worker of version 1 takes no answer from before, so the next question is new, whichever version asks it.
    if (protocol !== PROTOCOL_VERSION) for (const { seen } of this.#known.values()) seen.delete("get-state");
  }

  /** Whether a command is to be carried out. If so it is from now on the migration in progress. */
  receive({ type, migrationId, epoch }: CommandFrame): Verdict {
    const known = this.#known.get(migrationId);
    if (known?.seen.has(type)) return { ok: false, why: "it has been handled already" };
    if (type === "abort" || type === "committed") {
      if (known?.endedBy === "worker" || known?.endedBy === "commit") return { ok: false, why: over(known) };
      const migration = known ?? this.#remember(migrationId, newMigration(migrationId, this.role));
      migration.seen.add(type);
      migration.endedBy = type === "abort" ? "worker" : "commit";
      if (type === "committed") this.role = "source";
      return { ok: true, migration };
    }
    if (type === "get-state") {
      if (known?.endedBy === "job") return { ok: false, why: "this job has aborted the migration", refuses: known };
      if (known?.endedBy) {
        if (epoch !== undefined) return { ok: false, why: over(known), refuses: known };
        // Asked again after its own abort, a worker of version 1 starts anew under the same id.
        this.#known.delete(migrationId);
      }
      const migration = this.#enter("source", migrationId);
      // A worker of version 1 asks as often as it needs an answer.
      if (epoch !== undefined) migration.seen.add(type);
      return { ok: true, migration };
    }
    if (known?.endedBy) return { ok: false, why: over(known) };
    const migration = this.#enter(type === "cutover-ready" ? "source" : "target", migrationId);
    migration.seen.add(type);
    return { ok: true, migration };
  }

  /** Whether a report makes sense now. An abort that does ends the migration for this instance. */
  report(type: JobReportFrame["type"]): Verdict {
    const migration = this.#current;
    if (!migration) return { ok: false, why: "no migration is in progress" };
    if (migration.endedBy) return { ok: false, why: over(migration) };
    if (type === "target-ready" && migration.role !== "target") {
      return { ok: false, why: "this instance is not a target" };
    }
    const cause = CAUSE_OF_REPORT[type];
    if (cause && !migration.seen.has(cause)) return { ok: false, why: `${cause} has not arrived in this migration` };
    if (type === "abort") migration.endedBy = "job";
    return { ok: true, migration };
  }

  /** Whether a report that was not delivered on the last connection makes sense on a new one. */
  mayStillSend({ type, migration }: UndeliveredReport, version: 1 | 2): boolean {
    // A worker of version 2 knows by the report itself which migration it belongs to, and ignores a late one.
    if (version === 2) return migration.id !== undefined && this.#known.has(migration.id);
    if (type === "state" || type === "state-refused") return false;
    return migration === this.#current && (!migration.endedBy || migration.endedBy === "job");
  }

  /** The migration cannot go on, because a report of it is larger than what the worker takes. */
  gaveUp(migration: Migration): void {
    if (migration === this.#current) this.#current.endedBy ??= "job";
  }

  /** A no to `get-state` ends the migration without an abort. */
  refused(migration: Migration): void {
    if (migration === this.#current) this.#current = undefined;
  }

  #enter(role: "source" | "target", id: string): MutableMigration {
    const known = this.#known.get(id);
    const migration = known?.role === role ? known : this.#remember(id, newMigration(id, role));
    this.role = role;
    this.#current = migration;
    return migration;
  }

  #remember(id: string, migration: MutableMigration): MutableMigration {
    migration.id = id;
    this.#known.set(id, migration);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED_MIGRATIONS) break;
      this.#known.delete(oldest);
    }
    return migration;
  }
}

// A report out of turn would be a violation to a worker. It also tells a handler that was pre-empted in an earlier
// migration from one of the present migration.
const CAUSE_OF_REPORT: Partial<Record<JobReportFrame["type"], CommandFrame["type"]>> = {
  "source-stopped-output": "cutover-ready",
  "target-applied": "cutover-apply",
};

function over({ id, endedBy }: Migration): string {
  return `migration ${id ?? ""} has been ${endedBy === "commit" ? "committed" : "aborted"}`;
}

function newMigration(id: string | undefined, role: "source" | "target"): MutableMigration {
  return { id, role, seen: new Set(), endedBy: undefined };
}
