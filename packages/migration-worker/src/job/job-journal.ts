import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { Journal } from "./journal.js";
import type { JournalRecord } from "./journal-record.js";

/** How long to wait before a write that failed is tried again. */
const retryMs = 1_000;

export interface JobJournalOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  /** The job as it is now. */
  record(): JournalRecord;
  onFailure(reason: string): void;
  /** A write that had failed has succeeded. */
  onRecovery(): void;
}

/** What the journal holds of one job. */
export class JobJournal {
  readonly #options: JobJournalOptions;
  #written = "";
  #stopRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(options: JobJournalOptions) {
    this.#options = options;
  }

  /** Writes the job down if it has changed; says why that failed, and tries again until it succeeds. */
  write(): string | undefined {
    // What was unregistered, or belongs to a worker that has ended, must not come back.
    if (this.#isClosed) return undefined;
    const { clock, journal, record, onFailure } = this.#options;
    const entry = record();
    const text = JSON.stringify(entry);
    this.#stopRetry?.();
    this.#stopRetry = undefined;
    if (text === this.#written) return undefined;
    try {
      journal.write(entry);
      this.#written = text;
      return undefined;
    } catch (error) {
      const reason = messageOf(error);
      this.#stopRetry = clock.setTimer(() => this.#retry(), retryMs);
      onFailure(reason);
      return reason;
    }
  }

  #retry(): void {
    if (this.write() === undefined) this.#options.onRecovery();
  }

  /** Forgets the job, or says why that failed. */
  remove(jobId: string): string | undefined {
    this.close();
    try {
      this.#options.journal.remove(jobId);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Writes nothing from now on. */
  close(): void {
    this.#isClosed = true;
    this.#stopRetry?.();
  }
}
