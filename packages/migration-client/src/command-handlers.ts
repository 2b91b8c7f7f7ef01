import type { ReportFrame } from "@changeover/migration-protocol";
import type { HandlerContext } from "./migration-handlers.js";
import type { HandlerNames } from "./rules/handler-names.js";
import type { CommandFrame } from "./rules/session.js";

/** Reports with a payload or none that a job makes of its own accord. */
export type PlainReport = Extract<ReportFrame, { type: "target-ready" | "source-stopped-output" | "target-applied" }>;

/** Does what a command asks for. What it reports after its signal has fired is dropped. */
export type CommandHandler = (context: HandlerContext, report: (frame: PlainReport) => void) => unknown;

/** What a job does for the worker's commands, in whichever form it was written. */
export interface CommandHandlers {
  readonly names: HandlerNames;
  /** The handler of a command; undefined if the job has none. What that of `get-state` returns is the answer. */
  find(frame: CommandFrame): CommandHandler | undefined;
}
