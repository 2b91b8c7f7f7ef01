export { MigrationWorkerError, type MigrationWorkerErrorCode } from "./errors.js";
export type { WorkerEvent, WorkerEventListener } from "./events.js";
export type { Deadlines } from "./handover/deadlines.js";
export { PHASES, type Active, type HandoverEnd, type Phase } from "./handover/end.js";
export type { Side, SourceLost } from "./handover/handover.js";
export {
  startMigrationWorker,
  type CloseOptions,
  type HandoverOptions,
  type JobHandle,
  type MigrationWorker,
  type MigrationWorkerOptions,
  type OnIndeterminate,
  type RecoverTarget,
  type RegisteredJob,
  type RegisterOptions,
} from "./migration-worker.js";
export type { Placement, PlaceTarget, PlaceTargetRequest } from "./placement.js";
export { logEvents, type EventLogger } from "./observe/log-events.js";
export { trackProgress, type Progress, type ProgressOptions, type ProgressTracker } from "./observe/progress.js";
