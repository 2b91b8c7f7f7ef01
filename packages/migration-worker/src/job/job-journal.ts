import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import { noJournal, type Journal } from "./journal.js";
import type { JournalRecord } from "./journal-record.js";

/** How long to wait before a write that failed is tried again. */
const retryMs = 1_000;

export interface JobJournalOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  /** The job as it is now. */
  record(): JournalRecord;
  onFailure(reason: string): void;
  /** What could not be written down is now, or is no longer so. */
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

  /** The journal has the job as it is now. */
  assumeWritten(): void {
    this.#written = JSON.stringify(this.#options.record());
  }

  /** Writes the job down if it has changed; says why that failed, and tries again until it succeeds. */
  write(): string | undefined {
    const { clock, journal, record, onFailure, onRecovery } = this.#options;
    // What was unregistered, or belongs to a worker that has ended, must not come back.
    if (this.#isClosed || journal === noJournal) return undefined;
    const hadFailed = this.#stopRetry !== undefined;
    this.#stopRetry?.();
    this.#stopRetry = undefined;
    try {
      const entry = record();
      const text = JSON.stringify(entry);
      if (text !== this.#written) journal.write(entry);
      this.#written = text;
    } catch (error) {
      const reason = messageOf(error);
      this.#stopRetry = clock.setTimer(() => void this.write(), retryMs);
      onFailure(reason);
      return reason;
    }
    // Whatever has written it down: the next event of the job may have been faster than the next try.
    if (hadFailed) onRecovery();
    return undefined;
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
