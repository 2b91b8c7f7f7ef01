import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { messageOf, MigrationWorkerError } from "../errors.js";
import { lockDirectory, type Release } from "./directory-lock.js";
import { JOURNAL_VERSION, journalRecord, type JournalRecord } from "./journal-record.js";

/** Where jobs are written down, each before anything is sent that depends on it. */
export interface Journal {
  /** @throws when the record cannot be made durable. */
  write(record: JournalRecord): void;
  /** @throws when the record cannot be removed. */
  remove(jobId: string): void;
}

/** A journal that this worker alone may write, and what it held. */
export interface OpenedJournal {
  readonly journal: Journal;
  readonly records: readonly JournalRecord[];
  /** Lets another worker open it. */
  readonly release: Release;
}

/** A worker that nobody has given a directory remembers nothing after its end. */
export const noJournal: Journal = { write: () => {}, remove: () => {} };

/** What write-file-atomic writes before it renames it. */
const unfinished = /^[\w-]+\.json\.\d+$/;

/**
 * Opens a directory with one file for each job, and reads what is there.
 *
 * Writing blocks until the file is durable: a frame that depends on it must not leave before, and a few milliseconds a
 * step are cheap beside a handover that nobody remembers.
 *
 * @throws MigrationWorkerError `journal-unusable`, naming the file: one that cannot be read is never overwritten.
 */
export async function openJournal(directory: string): Promise<OpenedJournal> {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw unusable(directory, error);
  }
  const release = await lockDirectory(directory);
  const fileOf = (jobId: string): string => join(directory, `${Buffer.from(jobId).toString("base64url")}.json`);
  try {
    return {
      release,
      records: readAll(directory),
      journal: {
        write: (entry) => writeFileAtomic.sync(fileOf(entry.jobId), `${JSON.stringify(entry)}\n`, { mode: 0o600 }),
        remove: (jobId) => rmSync(fileOf(jobId), { force: true }),
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function readAll(directory: string): JournalRecord[] {
  let files: string[];
  try {
    const names = readdirSync(directory);
    files = names.filter((name) => name.endsWith(".json"));
    // A worker that was killed as it wrote has left a file that never became the job's.
    for (const name of names.filter((each) => unfinished.test(each))) rmSync(join(directory, name), { force: true });
  } catch (error) {
    throw unusable(directory, error);
  }
  return files.map((name) => read(join(directory, name)));
}

function read(file: string): JournalRecord {
  try {
    const record: unknown = JSON.parse(readFileSync(file, "utf8"));
    const result = journalRecord.safeParse(record);
    if (result.success) return result.data;
    if (isNewer(record))
      throw new Error(`a newer version of this package has written it, as version ${record.version}`);
    const [issue] = result.error.issues;
    throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown"}`);
  } catch (error) {
    throw unusable(file, error);
  }
}

function isNewer(record: unknown): record is { version: number } {
  return (
    typeof record === "object" &&
    record !== null &&
    "version" in record &&
    typeof record.version === "number" &&
    record.version > JOURNAL_VERSION
  );
}

function unusable(path: string, error: unknown): MigrationWorkerError {
  const message = `the journal cannot be used: ${path}: ${messageOf(error)}. Repair it, or move it away to start without what it knows`;
  return new MigrationWorkerError("journal-unusable", message, { cause: error });
}
