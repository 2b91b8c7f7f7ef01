import type { ReportFrame } from "@changeover/migration-protocol";
import type { HandlerContext } from "./migration-handlers.js";
import type { HandlerNames } from "./rules/handler-names.js";
import type { CommandFrame } from "./rules/session.js";

/** Reports with a payload or none that a job makes of its own accord. */
export type PlainReport = Extract<ReportFrame, { type: "target-ready" | "source-stopped-output" | "target-applied" }>;

/** Reports what was done. After the signal of the handler has fired it is dropped. */
export type Report = (frame: PlainReport) => void;

/** Does what a command asks for. */
export type CommandHandler = (context: HandlerContext, report: Report) => unknown;

/** What a job does for the worker's commands, in whichever form it was written. */
export interface CommandHandlers {
  readonly names: HandlerNames;
  /** The handler of a command; undefined if the job has none. What that of `get-state` returns is the answer. */
  find(frame: CommandFrame): CommandHandler | undefined;
}
