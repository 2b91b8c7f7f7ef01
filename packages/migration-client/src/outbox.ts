import type { ReportFrame } from "@changeover/migration-protocol";
import type { Migration } from "./session.js";

/** A report that has not reached the worker for certain. */
export interface OutboxReport {
  /** Counts the reports of this client, from 1. */
  readonly seq: number;
  readonly type: ReportFrame["type"];
  readonly migration: Migration;
  /** What the job called, for logs. */
  readonly method: string;
  /** The frame as version 1 has it: what it said when it was made. */
  readonly text: string;
}

/** The reports that are still to be delivered, in the order in which they were made. */
export class Outbox {
  #lastSeq = 0;
  #reports: readonly OutboxReport[] = [];

  get reports(): readonly OutboxReport[] {
    return this.#reports;
  }

  get nextSeq(): number {
    return this.#lastSeq + 1;
  }

  add(report: Omit<OutboxReport, "seq">): OutboxReport {
    this.#lastSeq += 1;
    const added = { ...report, seq: this.#lastSeq };
    this.#reports = [...this.#reports, added];
    return added;
  }

  /** Puts another report at the place, and under the number, of one that is there. */
  replace(report: OutboxReport): void {
    this.#reports = this.#reports.map((each) => (each.seq === report.seq ? report : each));
  }

  /** Removes what matches and returns it, in order. */
  remove(matches: (report: OutboxReport) => boolean): readonly OutboxReport[] {
    const removed = this.#reports.filter(matches);
    if (removed.length > 0) this.#reports = this.#reports.filter((report) => !removed.includes(report));
    return removed;
  }
}
