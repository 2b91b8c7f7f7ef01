import type { LogLine } from "./log-stream.js";

const MAX_LINES = 20;
const MAX_LINE_LENGTH = 2_000;

/**
 * Keeps the last lines of each stream, for the moment when a container has died and its log with it. The engine may bring
 * the streams out of step: a chatty one must not push out what the other said last.
 */
export class LogTail {
  readonly #lines: LogLine[] = [];

  add(line: LogLine): void {
    const cut = line.line.length > MAX_LINE_LENGTH ? `${line.line.slice(0, MAX_LINE_LENGTH)}…` : line.line;
    this.#lines.push({ stream: line.stream, line: cut });
    const ofStream = this.#lines.filter(({ stream }) => stream === line.stream);
    const [oldest] = ofStream;
    if (oldest && ofStream.length > MAX_LINES) this.#lines.splice(this.#lines.indexOf(oldest), 1);
  }

  get lines(): readonly LogLine[] {
    return [...this.#lines];
  }

  get texts(): readonly string[] {
    return this.#lines.map(({ line }) => line);
  }
}
