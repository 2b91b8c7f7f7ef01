import type { Journal, OpenedJournal } from "../job/journal.js";
import type { JournalRecord } from "../job/journal-record.js";
import type { Life } from "./life.js";

/** A journal that outlives its workers. Records go through JSON: a restarted worker shares nothing with the dead one. */
export class MemoryJournal {
  readonly #texts = new Map<string, string>();

  get records(): JournalRecord[] {
    return [...this.#texts.values()].map((text): JournalRecord => JSON.parse(text));
  }

  /** Opens the journal for one worker; what that one writes after its end reaches nobody. */
  openedBy(life: Life): () => Promise<OpenedJournal> {
    const journal: Journal = {
      write: (record) => {
        if (!life.isOver) this.#texts.set(record.jobId, JSON.stringify(record));
      },
      remove: (jobId) => {
        if (!life.isOver) this.#texts.delete(jobId);
      },
    };
    return async () => ({ journal, records: this.records, release: async () => {} });
  }
}
