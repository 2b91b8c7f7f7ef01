/**
 * The rules by which a client decides, for the model checkers of this repository and for nobody else: it is outside
 * semantic versioning.
 *
 * @packageDocumentation
 */
export {
  newClientState,
  type ClientEffect,
  type ClientInput,
  type ClientState,
  type ClientStep,
  type ClientTimes,
  type LinkState,
} from "./rules/client-state.js";
export { clientTransition, mayReport, whyTooLarge } from "./rules/client-transition.js";
export { dueTimers, type DueTimer } from "./rules/due-timers.js";
export type { OutboxReport, OutboxState } from "./rules/outbox.js";
export {
  currentMigration,
  stoppedMigration,
  type CommandFrame,
  type JobReportFrame,
  type Migration,
  type SessionState,
} from "./rules/session.js";
export type { QueueState, Task } from "./rules/task-queue.js";
