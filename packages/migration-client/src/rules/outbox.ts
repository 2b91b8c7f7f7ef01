import type { ReportFrame } from "@changeover/migration-protocol";

/** A report that has not reached the worker for certain. */
export interface OutboxReport {
  /** Counts the reports of this client, from 1. */
  readonly seq: number;
  readonly type: ReportFrame["type"];
  readonly migrationId: string;
  /** What the job called, for logs. */
  readonly method: string;
  /** The frame as version 1 has it: what it said when it was made. */
  readonly text: string;
}

/** The reports that are still to be delivered, in the order in which they were made. */
export interface OutboxState {
  readonly lastSeq: number;
  readonly reports: readonly OutboxReport[];
}

export const EMPTY_OUTBOX: OutboxState = { lastSeq: 0, reports: [] };

/** Adds a report, as the last one. */
export function addReport({ lastSeq, reports }: OutboxState, report: Omit<OutboxReport, "seq">): OutboxState {
  const seq = lastSeq + 1;
  return { lastSeq: seq, reports: [...reports, { ...report, seq }] };
}

/** Puts another report at the place, and under the number, of one that is there. */
export function replaceReport({ lastSeq, reports }: OutboxState, report: OutboxReport): OutboxState {
  return { lastSeq, reports: reports.map((each) => (each.seq === report.seq ? report : each)) };
}

/** Removes what matches. */
export function removeReports(
  { lastSeq, reports }: OutboxState,
  matches: (report: OutboxReport) => boolean,
): OutboxState {
  return { lastSeq, reports: reports.filter((report) => !matches(report)) };
}
