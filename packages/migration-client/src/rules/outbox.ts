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

/** Adds a report, and returns it with its number too. */
export function addReport(
  { lastSeq, reports }: OutboxState,
  report: Omit<OutboxReport, "seq">,
): { readonly state: OutboxState; readonly added: OutboxReport } {
  const added = { ...report, seq: lastSeq + 1 };
  return { state: { lastSeq: added.seq, reports: [...reports, added] }, added };
}

/** Puts another report at the place, and under the number, of one that is there. */
export function replaceReport({ lastSeq, reports }: OutboxState, report: OutboxReport): OutboxState {
  return { lastSeq, reports: reports.map((each) => (each.seq === report.seq ? report : each)) };
}

/** Removes what matches and returns it too, in order. */
export function removeReports(
  { lastSeq, reports }: OutboxState,
  matches: (report: OutboxReport) => boolean,
): { readonly state: OutboxState; readonly removed: readonly OutboxReport[] } {
  const removed = reports.filter(matches);
  return { state: { lastSeq, reports: reports.filter((report) => !removed.includes(report)) }, removed };
}
