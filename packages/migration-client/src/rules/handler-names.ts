import type { CommandFrame } from "./session.js";

/** What the handler of each command is called in messages: as the job has named it. */
export type HandlerNames = Readonly<Record<CommandFrame["type"], string>>;

/** The names of the handlers of `connectMigration`. */
export const CALLBACK_NAMES = {
  "get-state": "onGetState",
  "initial-state": "onInitialState",
  "cutover-ready": "onCutoverReady",
  "cutover-apply": "onCutoverApply",
  abort: "onAbort",
  committed: "onCommitted",
} as const satisfies HandlerNames;
