import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Tally } from "./collector.js";

export type CollectorCall =
  | { method: "tally" | "holdNextConnection" | "release" | "close" }
  | { method: "arrivals"; count: number }
  | { method: "longestIntervalMs"; sinceMs: number };

export interface CollectorAnswer {
  id: number;
  result: unknown;
}

/**
 * A collector in a thread of its own: what else this process does (starting a process takes 10 ms) must not show in the
 * times of arrival.
 */
export class RemoteCollector {
  readonly #thread: Worker;
  readonly #calls = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
  readonly #signal: AbortSignal;
  #lastId = 0;
  #port = 0;

  private constructor(host: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#thread = new Worker(new URL("./collector-thread.js", import.meta.url), { workerData: host });
    this.#thread.on("message", ({ id, result }: CollectorAnswer) => {
      this.#calls.get(id)?.resolve(result);
      this.#calls.delete(id);
    });
    const fail = (error: unknown): void => {
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
    };
    this.#thread.on("error", fail);
    this.#thread.on("exit", () => fail(new Error("the collector has ended")));
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
  }

  /** Starts a collector that listens on `host`. Once `signal` is aborted every call is rejected with its reason. */
  static async listen(host: string, signal: AbortSignal): Promise<RemoteCollector> {
    signal.throwIfAborted();
    const collector = new RemoteCollector(host, signal);
    try {
      collector.#port = Number(await collector.#answer(0));
      return collector;
    } catch (error) {
      await collector.close();
      throw error;
    }
  }

  get port(): number {
    return this.#port;
  }

  async tally(): Promise<Tally> {
    const tally = await this.#call({ method: "tally" });
    if (!isTally(tally)) throw new TypeError("the collector answered without a tally");
    return tally;
  }

  /** Resolves when this many more ticks have arrived; rejects if they do not within `withinMs`. */
  async arrivals(count: number, withinMs: number): Promise<void> {
    const deadline = new AbortController();
    const late = setTimeout(withinMs, undefined, { signal: deadline.signal }).then(() => {
      throw new Error(`the collector did not receive ${count} numbers within ${withinMs / 1000} s`);
    });
    late.catch(() => {});
    try {
      await Promise.race([this.#call({ method: "arrivals", count }), late]);
    } finally {
      deadline.abort();
    }
  }

  /** The longest time between two arrivals since `sinceMs` of `epochMs`, the one before that included. */
  async longestIntervalMs(sinceMs: number): Promise<number> {
    return Number(await this.#call({ method: "longestIntervalMs", sinceMs }));
  }

  /** Resolves when the next connection has been made; it is greeted only after `release`. */
  async holdNextConnection(): Promise<void> {
    await this.#call({ method: "holdNextConnection" });
  }

  async release(): Promise<void> {
    await this.#call({ method: "release" });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #call(call: CollectorCall): Promise<unknown> {
    this.#signal.throwIfAborted();
    const id = ++this.#lastId;
    this.#thread.postMessage({ id, call });
    return this.#answer(id);
  }

  #answer(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }
}

function isTally(value: unknown): value is Tally {
  return typeof value === "object" && value !== null && "received" in value && "lost" in value;
}
