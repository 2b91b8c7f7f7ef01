import { checkMethods, invalid } from "./check-methods.js";
import { MAX_DELAY_MS, systemClock, type Clock } from "./clock.js";
import type { OpenSocket } from "./open-socket.js";
import type { WebSocketConstructor, WebSocketLike } from "./web-socket.js";

/** How a connection, or an attempt to make one, ended. */
export interface ConnectionEnd {
  /** The code of the close frame; undefined if there was none. */
  readonly code: number | undefined;
  /** What happened, in words, without the token. */
  readonly reason: string;
  /** Which attempt in a row the next one would be: 1 after a connection that was stable. */
  readonly attempt: number;
}

/** Options of `connectMigration`. */
export interface MigrationClientOptions {
  /** Constructor of the socket. Default: the global `WebSocket`, and where there is none that of `ws`. */
  readonly WebSocket?: WebSocketConstructor | undefined;
  /**
   * Makes the socket of every connection, in place of `WebSocket`: for certificates, proxies and headers. Returns a
   * socket that has not opened yet, or a promise of one. If it throws, rejects or takes longer than 10 s, that is a
   * failed attempt as any other, and is followed by the next one.
   *
   * @example
   * ```ts
   * import { connectMigration } from "@changeover/migration-client";
   * import { readFileSync } from "node:fs";
   * import { WebSocket } from "ws";
   *
   * const ca = readFileSync("worker-ca.pem");
   * connectMigration({}, process.env, { createSocket: (url) => new WebSocket(url, { ca }) });
   * ```
   */
  readonly createSocket?: ((url: string) => WebSocketLike | Promise<WebSocketLike>) | undefined;
  /**
   * Decides, once for every end of a connection or of an attempt, whether another one is to follow. If it returns false
   * the client is closed for good, and `ready` rejects if it is still waiting; anything else, an exception too, means
   * yes. It is not asked after {@link MigrationClient.close}, nor when a newer connection of this instance took over:
   * no other one follows then. Default: always, and slowly after an end that only somebody else can mend.
   */
  readonly shouldReconnect?: ((end: ConnectionEnd) => boolean) | undefined;
  /**
   * Whether the client lets the process end when nothing else keeps it alive. Default false: a job that waits for its
   * worker must not end because nothing else happens to be going on.
   *
   * Complete on Node, where the connection is then one of `ws`, because Node's own cannot be told. Bun and Deno can be
   * told of timers only: there the process may end between two connections, but not while there is one. In a browser it
   * has no effect. A socket of `WebSocket` or `createSocket` and a `clock` of your own are yours to unref.
   */
  readonly unref?: boolean | undefined;
  /**
   * Upper bound of the first delay before a reconnect, in milliseconds. Default 1,000. It doubles with every further
   * attempt; the delay itself is a random part of it (full jitter).
   */
  readonly reconnectMinMs?: number | undefined;
  /**
   * Upper bound of all delays before a reconnect, in milliseconds. Default 30,000. A connection that stays
   * acknowledged and open for this long counts as stable and sets the delays back to the first one.
   */
  readonly reconnectMaxMs?: number | undefined;
  /**
   * How long `onGetState` may take from the arrival of the question, in milliseconds. Default 9,000: just under the
   * 10 s that a worker waits by default, so that it hears a reason and not only a silence. Where the worker says how
   * long it waits, the client answers after nine tenths of that at the latest.
   */
  readonly getStateTimeoutMs?: number | undefined;
  /**
   * How long a source that has stopped its output (`reportStoppedOutput`) waits for a worker of which nothing at all is
   * heard, in milliseconds, before it ends the migration itself and `onAbort` lets it resume. Default: for ever, because
   * the worker is the only one who knows whether the target has taken over.
   *
   * **Two instances may then be active**, without either of them knowing: only storage that refuses writes under an
   * older epoch tells them apart. Choose a time in which a worker is back for certain, restart included. A connection
   * of version 2 is watched by pings: the source does not resume before it has been given up for dead. A worker of
   * version 1 sends none and never says that the target has taken over: it may be silent until it removes the source.
   *
   * The worker is told by an `abort` as soon as it can be reached. If the target had taken over after all,
   * `onCommitted` is called: the source has lost and must stop. If the target may have written before it was removed,
   * `onAbort` is called once more, with the newer epoch under which the source writes from then on.
   */
  readonly resumeAfterMs?: number | undefined;
  /** Takes what the client has to tell, a line at a time, without the token. Default: nothing is printed. */
  readonly log?: ((line: string) => void) | undefined;
  /** What every log line starts with. Default: the job's id. */
  readonly name?: string | undefined;
  /** Time as the client sees it. Default: that of the machine. A test kit passes one that it moves by hand. */
  readonly clock?: Clock | undefined;
  /** Returns a random number from 0 to, not including, 1. Default: `Math.random`. A test passes one that it can repeat. */
  readonly random?: (() => number) | undefined;
}

/** Options with their defaults, checked. */
export interface CheckedOptions {
  readonly WebSocket: WebSocketConstructor | undefined;
  readonly createSocket: OpenSocket | undefined;
  readonly shouldReconnect: (end: ConnectionEnd) => boolean;
  readonly unref: boolean;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly getStateTimeoutMs: number;
  readonly resumeAfterMs: number | null;
  readonly log: (line: string) => void;
  readonly name: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** @throws MigrationClientError `invalid-option`, naming the option and its value. */
export function checkOptions(options: MigrationClientOptions): CheckedOptions {
  checkMethods("opts", options);
  const { WebSocket, createSocket, reconnectMinMs, reconnectMaxMs, getStateTimeoutMs, resumeAfterMs } = options;
  const { shouldReconnect = () => true, log = () => {}, random = Math.random, name, unref = false } = options;
  const { clock = systemClock(unref) } = options;
  const functions = { WebSocket, createSocket, shouldReconnect, log, random };
  for (const [option, value] of Object.entries(functions)) mustBe("function", option, value);
  mustBe("string", "name", name);
  mustBe("boolean", "unref", unref);
  for (const [option, value] of Object.entries({ reconnectMinMs, reconnectMaxMs, getStateTimeoutMs, resumeAfterMs })) {
    const isDelay = value === undefined || (typeof value === "number" && value > 0 && value <= MAX_DELAY_MS);
    if (!isDelay) {
      throw invalid(`option ${option}`, `a number of milliseconds above 0 and up to ${MAX_DELAY_MS}`, value);
    }
  }
  checkMethods("option clock", clock, ["now", "setTimer"]);
  if (WebSocket && createSocket) {
    throw invalid("option createSocket", "left out where WebSocket is given", createSocket);
  }
  // One of them alone may well cross the other one's default: the smaller one then bounds every delay.
  if (reconnectMinMs !== undefined && reconnectMaxMs !== undefined && reconnectMinMs > reconnectMaxMs) {
    throw invalid("option reconnectMinMs", `at most reconnectMaxMs, which is ${reconnectMaxMs}`, reconnectMinMs);
  }
  return {
    WebSocket,
    createSocket,
    shouldReconnect,
    log,
    random,
    name,
    unref,
    clock,
    reconnectMinMs: reconnectMinMs ?? 1_000,
    reconnectMaxMs: reconnectMaxMs ?? 30_000,
    getStateTimeoutMs: getStateTimeoutMs ?? 9_000,
    resumeAfterMs: resumeAfterMs ?? null,
  };
}

function mustBe(type: "function" | "string" | "boolean", option: string, value: unknown): void {
  // The rule wants a literal; the parameter admits only some of them.
  // oxlint-disable-next-line valid-typeof
  if (value !== undefined && typeof value !== type) throw invalid(`option ${option}`, `a ${type}`, value);
}
