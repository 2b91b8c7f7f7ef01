import type { Container } from "dockerode";
import type { ContainerEnd } from "./container-end.js";
import type { ContainerWatch } from "./container-watch.js";
import { dialStream } from "./dial.js";
import type { Engine } from "./engine.js";
import { engineFailure, statusOf } from "./engine-response.js";
import type { LaunchedContainer, LogOptions } from "./launched-container.js";
import { logLines, type LogLine } from "./log-stream.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import type { PublishedPort } from "./published-ports.js";
import type { Redact } from "./redact.js";
import { removeContainer } from "./remove-container.js";
import { withDeadline } from "./with-deadline.js";

/** What {@link EngineContainer} is made of. */
export interface EngineContainerParts {
  readonly engine: Engine;
  readonly container: Container;
  readonly name: string;
  readonly ports: Readonly<Record<string, PublishedPort>>;
  readonly watch: ContainerWatch;
  readonly redact: Redact;
  readonly engineTimeoutMs: number;
}

/** A launched container on a real engine. */
export class EngineContainer implements LaunchedContainer {
  readonly id: string;
  readonly name: string;
  readonly ports: Readonly<Record<string, PublishedPort>>;
  readonly gone: Promise<ContainerEnd>;
  readonly #parts: EngineContainerParts;
  #removal: Promise<void> | undefined;

  constructor(parts: EngineContainerParts) {
    this.id = parts.container.id;
    this.name = parts.name;
    this.ports = parts.ports;
    this.gone = parts.watch.gone;
    this.#parts = parts;
  }

  async *logs(options: LogOptions = {}): AsyncGenerator<LogLine, void, undefined> {
    const { follow = true, tail } = options;
    if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0)) {
      throw new ProductRuntimeError("invalid-option", `tail must be a whole number of at least 0, is ${tail}`);
    }
    const { engine, redact, watch } = this.#parts;
    const query = { stdout: true, stderr: true, follow, tail: tail ?? "all" };
    let stream;
    try {
      stream = await dialStream(engine.docker, { method: "GET", path: `/containers/${this.id}/logs?`, query });
    } catch (error) {
      if (!isNoMore(error)) throw engineFailure(`reading the log of ${this.name}`, error);
      await this.gone;
      const { lines } = watch.tail;
      yield* tail === undefined ? lines : lines.slice(Math.max(0, lines.length - tail));
      return;
    }
    try {
      for await (const { stream: source, line } of logLines(stream)) yield { stream: source, line: redact(line) };
    } catch (error) {
      throw engineFailure(`reading the log of ${this.name}`, error);
    }
  }

  async stop(options: { readonly timeoutMs?: number } = {}): Promise<ContainerEnd> {
    const { timeoutMs = 10_000 } = options;
    if (!(timeoutMs >= 0)) {
      throw new ProductRuntimeError("invalid-option", `timeoutMs must be at least 0, is ${timeoutMs}`);
    }
    const { container, engineTimeoutMs } = this.#parts;
    await this.#tell(`stopping ${this.name}`, timeoutMs + engineTimeoutMs, () =>
      container.stop({ t: Math.ceil(timeoutMs / 1_000) }),
    );
    await this.remove();
    return this.gone;
  }

  remove(): Promise<void> {
    this.#removal ??= removeContainer(this.#parts.container).catch((error: unknown) => {
      this.#removal = undefined;
      throw error;
    });
    return this.#removal;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const { container, engineTimeoutMs } = this.#parts;
    await this.#tell(`sending ${signal} to ${this.name}`, engineTimeoutMs, () => container.kill({ signal }));
  }

  /** Has the engine do something to the container, which is done already when the container has ended. */
  async #tell(what: string, timeoutMs: number, work: () => Promise<unknown>): Promise<void> {
    try {
      await withDeadline({ what, timeoutMs }, work);
    } catch (error) {
      if (!isNoMore(error)) throw engineFailure(what, error);
    }
  }
}

/** Unknown, stopped already, not running, or being removed. */
function isNoMore(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || status === 304 || status === 409;
}
