import { constants } from "node:os";

/** How a container ended. */
export interface ContainerEnd {
  /** The exit code, or `null` when the engine no longer knows it, for example after it was restarted. */
  readonly exitCode: number | null;
  /** Whether the engine reported that the container ran out of memory. */
  readonly oomKilled: boolean;
  /**
   * The last lines of output, at most 20, oldest first, without the values of secrets. Of lines that were printed to
   * stdout and stderr at the same moment, the engine may have changed the order.
   */
  readonly logTail: readonly string[];
  /**
   * The whole as one sentence without a subject, such as `exited with code 3; last output: no such device`. Of a crash it
   * quotes the last line that looks like an error.
   */
  readonly reason: string;
}

/** Puts together what is known about the end of a container. */
export function containerEnd(exitCode: number | null, oomKilled: boolean, logTail: readonly string[]): ContainerEnd {
  const reason = `${howItEnded(exitCode, oomKilled)}; ${tellingLine(exitCode, logTail)}`;
  return { exitCode, oomKilled, logTail, reason };
}

// A word that ends so (`TypeError`) or is it, but no frame of a stack (`at new NodeError (…)`).
const ERROR_LINE = /^(?!at ).*(?:error|exception|fatal|panic|panicked)\b/i;
const { SIGINT, SIGKILL, SIGTERM } = constants.signals;
/** Ends that somebody wanted: what went wrong some lines before is not their reason. */
const NO_CRASH: ReadonlySet<number | null> = new Set([0, 128 + SIGINT, 128 + SIGKILL, 128 + SIGTERM]);

/** The line that says most about an end. The last one of a crash often is a stack or a version. */
function tellingLine(exitCode: number | null, logTail: readonly string[]): string {
  const lines = logTail.map((line) => line.trim()).filter((line) => line !== "");
  const last = lines.at(-1);
  if (last === undefined) return "it printed nothing";
  const error = NO_CRASH.has(exitCode) ? undefined : lines.findLast((line) => ERROR_LINE.test(line));
  return error === undefined || error === last ? `last output: ${last}` : `last error in the output: ${error}`;
}

/** The end without the output, for messages that show more of the output than one line. */
export function howItEnded(exitCode: number | null, oomKilled: boolean): string {
  if (exitCode === null) return "is gone, and the engine no longer knows its exit code";
  if (oomKilled) return `ran out of memory and was killed (exit code ${exitCode})`;
  const signal = signalOf(exitCode);
  return signal === undefined ? `exited with code ${exitCode}` : `exited with code ${exitCode} (${signal})`;
}

/** Engines report a death by signal as 128 and the signal's number, as shells do. */
function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}
