import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import * as z from "zod/mini";
import { PHASES } from "./handover/end.js";
import { messageOf, MigrationWorkerError } from "./errors.js";

const migrationId = z.string();
const count = z.number();

const record = z.object({
  version: z.literal(1),
  jobId: z.string(),
  capabilities: z.array(z.string()),
  epoch: count,
  active: z.object({ tokenHash: z.string(), epoch: count, migrationId: z.exactOptional(migrationId) }),
  /** What the active instance must hear before it is asked anything new. */
  owed: z.exactOptional(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("abort"), migrationId, reason: z.string() }),
      z.object({ type: z.literal("committed"), migrationId, epoch: count }),
    ]),
  ),
  handover: z.exactOptional(
    z.object({
      migrationId,
      phase: z.enum(PHASES),
      /** The target, from the moment that it is being placed. */
      target: z.exactOptional(z.object({ tokenHash: z.string(), epoch: count })),
      /** Whether the target has been told to take over and is not known to be gone. */
      mayBeActive: z.boolean(),
      /** Whether the source has been told to stop. */
      mayHaveStopped: z.boolean(),
      /** Whether the source is known to be dead. */
      isSourceGone: z.boolean(),
    }),
  ),
});

/** What survives of a job when its worker dies. Tokens are kept as hashes; states and positions are not kept at all. */
export type JournalRecord = z.infer<typeof record>;

/** What the journal knows of a handover in flight. */
export type InFlight = NonNullable<JournalRecord["handover"]>;

/** Where jobs are written down, each before anything is sent that depends on it. */
export interface Journal {
  /** @throws when the record cannot be made durable. */
  write(record: JournalRecord): void;
  /** @throws when the record cannot be removed. */
  remove(jobId: string): void;
}

/** A worker that nobody has given a directory remembers nothing after its end. */
export const noJournal: Journal = { write: () => {}, remove: () => {} };

/**
 * Opens a directory with one file for each job, and reads what is there.
 *
 * Writing blocks until the file is durable: a frame that depends on it must not leave before, and a few milliseconds a
 * step are cheap beside a handover that nobody remembers.
 *
 * @throws MigrationWorkerError `journal-unusable`, naming the file: one that cannot be read is never overwritten.
 */
export function openJournal(directory: string): { journal: Journal; records: JournalRecord[] } {
  const fileOf = (jobId: string): string => join(directory, `${Buffer.from(jobId).toString("base64url")}.json`);
  let files: string[];
  try {
    mkdirSync(directory, { recursive: true });
    files = readdirSync(directory).filter((name) => name.endsWith(".json"));
  } catch (error) {
    throw unusable(directory, error);
  }
  return {
    records: files.map((name) => read(join(directory, name))),
    journal: {
      write: (entry) => writeFileAtomic.sync(fileOf(entry.jobId), `${JSON.stringify(entry)}\n`, { mode: 0o600 }),
      remove: (jobId) => rmSync(fileOf(jobId), { force: true }),
    },
  };
}

function read(file: string): JournalRecord {
  try {
    const result = record.safeParse(JSON.parse(readFileSync(file, "utf8")));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown"}`);
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(path: string, error: unknown): MigrationWorkerError {
  const message = `the journal cannot be used: ${path}: ${messageOf(error)}. Repair it, or move it away to start without what it knows`;
  return new MigrationWorkerError("journal-unusable", message, { cause: error });
}
