import type { CommandHandler, CommandHandlers } from "./command-handlers.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { CALLBACK_NAMES } from "./rules/handler-names.js";
import type { CommandFrame } from "./rules/session.js";

/** The handlers of `connectMigration`, which make their reports themselves. */
export function callbacks(handlers: MigrationHandlers): CommandHandlers {
  return {
    names: CALLBACK_NAMES,
    find: (frame) => (handlers[CALLBACK_NAMES[frame.type]] ? callback(handlers, frame) : undefined),
  };
}

function callback(handlers: MigrationHandlers, frame: CommandFrame): CommandHandler {
  const { migrationId } = frame;
  switch (frame.type) {
    case "get-state":
      return (context) => handlers.onGetState?.(migrationId, context);
    case "abort":
      return (context) => handlers.onAbort?.(frame.reason, migrationId, context);
    case "committed":
      return (context) => handlers.onCommitted?.(migrationId, context);
    case "initial-state":
      // These handlers are those of version 1, which says nothing where nothing was handed over.
      if (frame.payload === null && frame.epoch !== undefined) return () => {};
  }
  return (context) => handlers[CALLBACK_NAMES[frame.type]]?.(frame.payload, migrationId, context);
}
