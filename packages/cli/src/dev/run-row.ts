import type { Phase } from "@changeover/migration-worker";
import { endedAsAsked, reportOn, type HandoverReport } from "./report.js";
import type { Session } from "./session.js";

export interface RowOptions {
  handovers: number;
  abortAt: Phase | undefined;
  signal: AbortSignal;
}

/** Hands over so many times and says whether each ended as asked. */
export async function runRow(
  session: Session,
  { handovers, abortAt, signal }: RowOptions,
): Promise<{ reports: HandoverReport[]; isAsAsked: boolean }> {
  const reports: HandoverReport[] = [];
  let isAsAsked = true;
  for (let i = 0; i < handovers && session.job.active; i++) {
    const { end, lateAbort } = await session.handOver(abortAt);
    signal.throwIfAborted();
    reports.push(reportOn(end, lateAbort));
    isAsAsked &&= endedAsAsked(end, abortAt, lateAbort);
  }
  return { reports, isAsAsked: isAsAsked && reports.length === handovers };
}
