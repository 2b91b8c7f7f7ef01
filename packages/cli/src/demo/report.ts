import type { HandoverEnd, Phase } from "@changeover/migration-worker";

/** What `changeover demo --json` prints. Times are milliseconds. */
export interface DemoReport {
  runtime: "process" | "docker";
  /** Handovers that completed in the row of ten. */
  handovers: number;
  refused: number;
  /** Crashes after which the job went on: of a target and of a worker during the takeover, of a source before it stopped. */
  recovered: number;
  lost: number;
  doubled: number;
  /** What the source that was killed had not sent and nobody else could. */
  lostInCrash: number;
  /** Longest interval between two arrivals around a handover, less the 10 ms of the cadence. */
  silenceMs: { p50: number; max: number };
  /** The usual way: stop the job, start the next. */
  restart: { silenceMs: number; lost: number };
  /** Median of each phase. */
  phasesMs: Partial<Record<Phase, number>>;
}

/** The middle value; the mean of the two middle ones where their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Median of each phase over several handovers. */
export function medianPhasesMs(ends: readonly HandoverEnd[]): Partial<Record<Phase, number>> {
  const byPhase = new Map<string, number[]>();
  for (const { phasesMs } of ends) {
    for (const [phase, ms] of Object.entries(phasesMs)) byPhase.set(phase, [...(byPhase.get(phase) ?? []), ms]);
  }
  return Object.fromEntries([...byPhase].map(([phase, values]) => [phase, roundMs(median(values))]));
}

/** Milliseconds to two decimals: what is finer is noise. */
export function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
