import { describeError } from "./describe-error.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import type { Reports } from "./reports.js";
import type { CommandFrame, Migration, Session } from "./session.js";
import type { Task } from "./task-queue.js";

/** Commands with a payload for a handler whose failure aborts the handover. */
export type CutoverFrame = Extract<CommandFrame, { payload: unknown }>;

export interface CutoverDeps {
  readonly handlers: MigrationHandlers;
  readonly session: Session;
  readonly reports: Reports;
  readonly log: (line: string) => void;
  readonly redact: (text: string) => string;
}

const HANDLER_OF = {
  "initial-state": "onInitialState",
  "cutover-ready": "onCutoverReady",
  "cutover-apply": "onCutoverApply",
} as const;

/** The call of a handler for a command of a migration. */
export function cutoverTask(frame: CutoverFrame, migration: Migration, deps: CutoverDeps): Task {
  const { type, migrationId, payload, epoch } = frame;
  const { handlers, session, reports, log, redact } = deps;
  const handler = HANDLER_OF[type];
  const giveUp = (signal: AbortSignal, reason: string): void => {
    // A handler that was pre-empted has nothing left to abort.
    if (!signal.aborted && session.isCurrent(migration)) reports.report("abort", { type: "abort", reason });
  };
  return {
    handler,
    migrationId,
    run: async (signal) => {
      try {
        if (handlers[handler]) {
          await handlers[handler](payload, migrationId, { signal, epoch });
          return;
        }
        // A target may have no use for a state. For the other answers the worker waits until its deadline is over.
        const isNeeded = type !== "initial-state";
        const reason = `this job has no ${handler} handler`;
        log(`${type} of ${migrationId} ${isNeeded ? "aborts it" : "has no effect"}: ${reason}`);
        if (isNeeded) giveUp(signal, reason);
      } catch (error) {
        const reason = redact(`${handler} failed: ${describeError(error)}`);
        log(reason);
        giveUp(signal, reason);
      }
    },
  };
}
