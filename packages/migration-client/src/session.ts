import type { HelloAckFrame, JobToWorkerFrame, WorkerToJobFrame } from "@changeover/migration-protocol";

/** Frames by which a worker asks something of a job. */
export type CommandFrame = Exclude<WorkerToJobFrame, HelloAckFrame>;

/** Reports that belong to a migration and may wait for a connection. */
export type ReportFrame = Extract<
  JobToWorkerFrame,
  { type: "target-ready" | "source-stopped-output" | "target-applied" | "abort" }
>;

/** One migration as this instance sees it. */
export interface Migration {
  /** Undefined only before the first acknowledgement, when a report may already be made. */
  readonly id: string | undefined;
  readonly role: "source" | "target";
  /** Commands that have arrived, each of which is carried out once. */
  readonly seen: ReadonlySet<CommandFrame["type"]>;
  readonly endedBy: "worker" | "job" | undefined;
}

/** A yes with the migration it is about, or a no with the reason. */
export type Verdict =
  { readonly ok: true; readonly migration: Migration } | { readonly ok: false; readonly why: string };

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

  acknowledge({ migration }: HelloAckFrame): void {
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
  }

  /** Whether a command is to be carried out. If so it is from now on the migration in progress. */
  receive({ type, migrationId }: CommandFrame): Verdict {
    const known = this.#known.get(migrationId);
    if (type === "get-state") {
      if (known?.endedBy === "job") return { ok: false, why: "this job has aborted the migration" };
      // Asked again after its own abort, the worker starts anew under the same id.
      if (known?.endedBy === "worker") this.#known.delete(migrationId);
      return { ok: true, migration: this.#enter("source", migrationId) };
    }
    if (known?.seen.has(type)) return { ok: false, why: "it has been handled already" };
    if (type === "abort") {
      const migration = known ?? this.#remember(migrationId, newMigration(migrationId, this.role));
      migration.seen.add(type);
      migration.endedBy = "worker";
      return { ok: true, migration };
    }
    if (known?.endedBy) return { ok: false, why: "the migration has been aborted" };
    const migration = this.#enter(type === "cutover-ready" ? "source" : "target", migrationId);
    migration.seen.add(type);
    return { ok: true, migration };
  }

  /** Whether a report makes sense now. An abort that does ends the migration for this instance. */
  report(type: ReportFrame["type"]): Verdict {
    const migration = this.#current;
    if (!migration) return { ok: false, why: "no migration is in progress" };
    if (migration.endedBy) return { ok: false, why: `migration ${migration.id ?? ""} has been aborted` };
    if (type === "target-ready" && migration.role !== "target") {
      return { ok: false, why: "this instance is not a target" };
    }
    const cause = CAUSE_OF_REPORT[type];
    if (cause && !migration.seen.has(cause)) return { ok: false, why: `${cause} has not arrived in this migration` };
    if (type === "abort") migration.endedBy = "job";
    return { ok: true, migration };
  }

  /** Whether a report that waited for a connection still makes sense. */
  mayStillSend(migration: Migration): boolean {
    return migration === this.#current && migration.endedBy !== "worker";
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
const CAUSE_OF_REPORT: Partial<Record<ReportFrame["type"], CommandFrame["type"]>> = {
  "source-stopped-output": "cutover-ready",
  "target-applied": "cutover-apply",
};

function newMigration(id: string | undefined, role: "source" | "target"): MutableMigration {
  return { id, role, seen: new Set(), endedBy: undefined };
}
