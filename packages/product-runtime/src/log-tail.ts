import type { LogLine } from "./log-stream.js";

const MAX_LINES = 20;
const MAX_LINE_LENGTH = 2_000;

/** Keeps the last lines of output, for the moment when a container has died and its log with it. */
export class LogTail {
  readonly #lines: LogLine[] = [];

  add(line: LogLine): void {
    const cut = line.line.length > MAX_LINE_LENGTH ? `${line.line.slice(0, MAX_LINE_LENGTH)}…` : line.line;
    this.#lines.push({ stream: line.stream, line: cut });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  get lines(): readonly LogLine[] {
    return [...this.#lines];
  }

  get texts(): readonly string[] {
    return this.#lines.map(({ line }) => line);
  }
}
