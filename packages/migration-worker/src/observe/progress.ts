import { systemClock } from "../clock.js";
import type { WorkerEvent } from "../events.js";
import type { Phase } from "../handover/end.js";
import type { MigrationWorker } from "../migration-worker.js";

/** Where a handover in flight stands. */
export interface Progress {
  readonly jobId: string;
  readonly migrationId: string;
  readonly phase: Phase;
  /** Milliseconds since it began, or since it was first heard of. */
  readonly elapsedMs: number;
  /** Milliseconds since the phase began. */
  readonly phaseElapsedMs: number;
  /** Milliseconds until the deadline of the phase. Absent when `isAborting`. */
  readonly phaseLeftMs?: number;
  /** It has been given up in this phase, and what it began is being removed. */
  readonly isAborting: boolean;
}

export interface ProgressTracker {
  /** The handovers in flight, oldest first. */
  list(): Progress[];
  /** Stops listening and forgets what was heard. */
  stop(): void;
}

export interface ProgressOptions {
  /** Milliseconds since the Unix epoch, as in events; the machine's by default. */
  clock?: { now(): number };
}

/**
 * Keeps track of the handovers of a worker that are in flight.
 *
 * @example
 * ```ts
 * import { startMigrationWorker, trackProgress } from "@changeover/migration-worker";
 *
 * const worker = await startMigrationWorker();
 * const progress = trackProgress(worker);
 * for (const { jobId, phase, phaseLeftMs } of progress.list()) console.log(jobId, phase, phaseLeftMs);
 * progress.stop();
 * ```
 */
export function trackProgress(
  worker: Pick<MigrationWorker, "subscribe">,
  { clock = systemClock }: ProgressOptions = {},
): ProgressTracker {
  const inFlight = new Map<string, InFlight>();
  const unsubscribe = worker.subscribe((event) => take(inFlight, event));
  return {
    list: () => [...inFlight.values()].map((handover) => progressOf(handover, clock.now())),
    stop: () => {
      unsubscribe();
      inFlight.clear();
    },
  };
}

interface InFlight {
  readonly jobId: string;
  readonly migrationId: string;
  readonly startedAtMs: number;
  readonly phase: Phase;
  readonly phaseStartedAtMs: number;
  readonly deadlineMs: number;
  readonly isAborting: boolean;
}

function take(inFlight: Map<string, InFlight>, event: WorkerEvent): void {
  switch (event.type) {
    case "phase": {
      const { jobId, migrationId, phase, deadlineMs, atMs } = event;
      const startedAtMs = inFlight.get(migrationId)?.startedAtMs ?? atMs;
      const isAborting = false;
      inFlight.set(migrationId, {
        jobId,
        migrationId,
        startedAtMs,
        phase,
        phaseStartedAtMs: atMs,
        deadlineMs,
        isAborting,
      });
      break;
    }
    case "fencing":
    case "resuming": {
      const handover = inFlight.get(event.migrationId);
      if (handover) inFlight.set(event.migrationId, { ...handover, isAborting: true });
      break;
    }
    case "ended":
      inFlight.delete(event.migrationId);
      break;
    default:
  }
}

function progressOf(handover: InFlight, nowMs: number): Progress {
  const { jobId, migrationId, startedAtMs, phase, phaseStartedAtMs, deadlineMs, isAborting } = handover;
  const phaseElapsedMs = nowMs - phaseStartedAtMs;
  return {
    jobId,
    migrationId,
    phase,
    elapsedMs: nowMs - startedAtMs,
    phaseElapsedMs,
    ...(isAborting ? {} : { phaseLeftMs: Math.max(0, deadlineMs - phaseElapsedMs) }),
    isAborting,
  };
}
