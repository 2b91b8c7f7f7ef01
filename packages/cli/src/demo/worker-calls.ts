import type { HandoverOptions, WorkerEvent } from "@changeover/migration-worker";

/** What crosses from the caller of a handover to a worker in another process; what places a target stays behind. */
export type RemoteHandoverOptions = Omit<HandoverOptions, "placeTarget" | "signal">;

/** What a worker in a process of its own is asked for. */
export type WorkerCall =
  | { method: "register"; jobId: string }
  | { method: "attach"; jobId: string; placementId: number }
  | { method: "handover"; jobId: string; options: RemoteHandoverOptions }
  | { method: "cancel"; jobId: string; reason: string }
  | { method: "unregister"; jobId: string };

/** What it asks for and tells in return. */
export type StageCall =
  | { method: "listening"; url: string }
  | { method: "event"; event: WorkerEvent }
  | { method: "place"; jobId: string; migrationId: string; env: Record<string, string> }
  /** Finds what was placed for this migration by a worker that has died. */
  | { method: "recover"; migrationId: string }
  | { method: "remove"; placementId: number }
  /** Answered when the instance is gone. */
  | { method: "await-gone"; placementId: number };
