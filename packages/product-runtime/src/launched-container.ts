import type { ContainerEnd } from "./container-end.js";
import type { LogLine } from "./log-stream.js";
import type { PublishedPort } from "./published-ports.js";

/** Which lines of a log to read. */
export interface LogOptions {
  /** Whether to go on with new lines until the container ends. Default `true`. */
  readonly follow?: boolean;
  /** How many of the lines so far. Default: all. */
  readonly tail?: number;
}

/** A container that was launched. While it runs it keeps the process alive that watches it, as a child process does. */
export interface LaunchedContainer {
  readonly id: string;
  readonly name: string;
  /** Where the manifest's ports are reached, by name. They are others after the engine was restarted. */
  readonly ports: Readonly<Record<string, PublishedPort>>;
  /**
   * Resolves when the container has ended, with how. Never rejects. A lost connection to the engine is no end: it is
   * settled only once the engine says that the container does not run.
   */
  readonly gone: Promise<ContainerEnd>;
  /** What the container prints, without the values of secrets. Of one that is gone, the last lines that were kept. */
  logs(options?: LogOptions): AsyncIterable<LogLine>;
  /**
   * Asks it to end, kills it when it has not after `timeoutMs` (10,000; the engine counts whole seconds, rounded up), and
   * resolves when it is removed.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<ContainerEnd>;
  /** Kills and removes it, and resolves when the engine no longer knows it. Does nothing when that is so already. */
  remove(): Promise<void>;
  /** Sends a signal, by default SIGKILL. Does nothing when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}
