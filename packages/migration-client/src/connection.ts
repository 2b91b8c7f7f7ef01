import {
  CLOSE_CODE,
  encodeJobToWorkerFrame,
  LIMITS,
  parseWorkerToJobFrame,
  parseWorkerToJobFrameV2,
  PROTOCOL_VERSION,
  type HelloAckFrame,
  type ReportAckFrame,
  type WorkerToJobFrame,
  type WorkerToJobFrameV2,
} from "@changeover/migration-protocol";
import { backoffMs, paceAfter } from "./backoff.js";
import { MAX_DELAY_MS, type Clock } from "./clock.js";
import { describeError } from "./describe-error.js";
import type { ConnectionEvent } from "./handover-event.js";
import { Liveness } from "./liveness.js";
import type { ConnectionEnd } from "./migration-client-options.js";
import { OneEndSocket, type SocketEnd } from "./one-end-socket.js";
import type { OpenSocket } from "./open-socket.js";
import type { CommandFrame } from "./rules/session.js";
import { showValue } from "./show-value.js";
import { VERSION } from "./version.js";
import type { WebSocketLike } from "./web-socket.js";

// A worker on the same network answers within milliseconds; what takes this long will not answer any more.
const CONNECT_TIMEOUT_MS = 10_000;
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;
// A worker that runs agrees to a close at once.
const CLOSE_TIMEOUT_MS = 1_000;

// What every implementation says in place of a close frame that did not come.
const NO_CLOSE_FRAME = 1006;

const CLIENT = `@changeover/migration-client/${VERSION}`;
const PING = encodeJobToWorkerFrame({ type: "ping" });
const PONG = encodeJobToWorkerFrame({ type: "pong" });

export interface ConnectionDeps {
  readonly url: string;
  readonly shownUrl: string;
  readonly token: string;
  /** Random, and another one for every client: what a worker of version 2 has received is known by it. */
  readonly sessionId: string;
  readonly clock: Clock;
  /** From 0 to, not including, 1. */
  readonly random: () => number;
  readonly openSocket: OpenSocket;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly shouldReconnect: (end: ConnectionEnd) => boolean;
  readonly log: (line: string) => void;
  /** Takes secrets out of what a socket says about its end. */
  readonly redact: (text: string) => string;
  readonly emit: (event: ConnectionEvent) => void;
  /** Anything has arrived. */
  readonly onHeard: () => void;
  readonly onAcknowledged: (ack: HelloAckFrame) => void;
  readonly onCommand: (frame: CommandFrame) => void;
  readonly onReportAck: (frame: ReportAckFrame) => void;
  /** An acknowledged connection is gone; another one will follow unless this one was retired. */
  readonly onLost: () => void;
  /** No other connection will follow: a newer one of this instance took over, or the job wants none. */
  readonly onLast: (why: string) => void;
  /** It was closed, and nothing is left of it. */
  readonly onClosed: () => void;
}

/** Keeps one acknowledged connection to the worker, for ever, until it is closed or superseded. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #unknownTypes = new Set<string>();
  #socket: OneEndSocket | undefined;
  #acknowledgedAt: number | undefined;
  #version: 1 | 2 = 1;
  #liveness: Liveness | undefined;
  #unstableInARow = 0;
  #isLast = false;
  #isClosed = false;
  // One timer at a time is enough: connecting, waiting for the acknowledgement, for a sign of life, for the next attempt,
  // for the end.
  #stopTimer: () => void = () => {};

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  get isAcknowledged(): boolean {
    return this.#acknowledgedAt !== undefined;
  }

  open(): void {
    const { url, shownUrl, log, emit, openSocket } = this.#deps;
    log(`connecting to ${shownUrl}`);
    emit({ type: "connecting", url: shownUrl });
    let isGivenUp = false;
    const giveUp = (cause: "error" | "timeout", message: string): void => {
      if (isGivenUp) return;
      isGivenUp = true;
      this.#ended({ cause, message });
    };
    const use = (socket: WebSocketLike): void => {
      if (isGivenUp || this.#isClosed) OneEndSocket.discard(socket);
      else if (typeof socket?.addEventListener === "function") this.#connect(socket);
      else giveUp("error", `createSocket returned ${showValue(socket)}, which is no WebSocket`);
    };
    this.#setTimer(() => giveUp("timeout", `no socket within ${CONNECT_TIMEOUT_MS} ms`), CONNECT_TIMEOUT_MS);
    try {
      const opened = openSocket(url);
      if (opened instanceof Promise) opened.then(use).catch((error) => giveUp("error", describeError(error)));
      else use(opened);
    } catch (error) {
      giveUp("error", describeError(error));
    }
  }

  /** Writes a frame to the acknowledged connection; false if there is none. */
  readonly send = (text: string): boolean => this.isAcknowledged && this.#socket?.send(text) === true;

  /** From now on no other connection follows when this one is lost. */
  retire(): void {
    this.#isLast = true;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopTimer();
    this.#acknowledgedAt = undefined;
    const { onClosed } = this.#deps;
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) {
      onClosed();
      return;
    }
    this.#setTimer(() => socket.abandon(), CLOSE_TIMEOUT_MS);
    socket.close(1000, () => {
      this.#stopTimer();
      onClosed();
    });
  }

  #connect(webSocket: WebSocketLike): void {
    const { token, sessionId, log } = this.#deps;
    const socket = new OneEndSocket(webSocket, {
      onOpen: () => {
        this.#within(ACKNOWLEDGE_TIMEOUT_MS, "hello-ack", socket);
        const hello = {
          type: "hello",
          token,
          protocol: PROTOCOL_VERSION,
          session: sessionId,
          client: CLIENT,
        } as const;
        socket.send(encodeJobToWorkerFrame(hello));
      },
      onText: (text) => this.#receive(text),
      onUnreadable: () => {
        this.#heard();
        log("a frame was skipped: it is neither text nor an ArrayBuffer of text");
      },
      onEnd: (end) => this.#ended(end),
    });
    this.#socket = socket;
    this.#within(CONNECT_TIMEOUT_MS, "connection", socket);
  }

  #within(ms: number, what: string, socket: OneEndSocket): void {
    this.#setTimer(() => socket.expire(`no ${what} within ${ms} ms`), ms);
  }

  #setTimer(run: () => void, ms: number): void {
    this.#stopTimer();
    this.#stopTimer = this.#deps.clock.setTimer(run, ms);
  }

  #receive(text: string): void {
    this.#heard();
    const parse = this.isAcknowledged && this.#version === 2 ? parseWorkerToJobFrameV2 : parseWorkerToJobFrame;
    const result = parse(text);
    if (!result.ok) this.#skip(result.reason, result.unknownType);
    else if (result.message.type === "hello-ack") this.#acknowledge(result.message);
    else if (this.isAcknowledged) this.#dispatch(result.message);
    else this.#deps.log(`${result.message.type} before hello-ack was skipped`);
  }

  #dispatch(frame: Exclude<WorkerToJobFrame | WorkerToJobFrameV2, HelloAckFrame>): void {
    switch (frame.type) {
      case "ping":
        this.send(PONG);
        break;
      case "pong":
        break;
      case "report-ack":
        this.#deps.onReportAck(frame);
        break;
      default:
        this.#deps.onCommand(frame);
    }
  }

  #heard(): void {
    this.#liveness?.heard(this.#deps.clock.now());
    this.#deps.onHeard();
  }

  /** Looks after `ms` whether the worker still says something, and from then on again and again. */
  #watch(liveness: Liveness, intervalMs: number, ms: number): void {
    this.#setTimer(() => {
      const step = liveness.look(this.#deps.clock.now());
      if (step.act === "give-up") {
        this.#socket?.expire(`no sign of life from the worker within ${2 * intervalMs} ms`);
      } else if (step.act === "wait" || this.send(PING)) {
        this.#watch(liveness, intervalMs, step.ms);
      }
    }, ms);
  }

  #skip(reason: string, unknownType: string | undefined): void {
    if (unknownType !== undefined) {
      if (this.#unknownTypes.has(unknownType)) return;
      this.#unknownTypes.add(unknownType);
    }
    this.#deps.log(`a frame was skipped: ${reason}`);
  }

  #acknowledge(ack: HelloAckFrame): void {
    if (this.isAcknowledged) {
      this.#deps.log("a second hello-ack was skipped");
      return;
    }
    this.#stopTimer();
    const now = this.#deps.clock.now();
    this.#acknowledgedAt = now;
    this.#version = ack.protocol === PROTOCOL_VERSION ? 2 : 1;
    if (this.#version === 2) {
      const asked = ack.pingIntervalMs ?? 0;
      const intervalMs = asked > 0 ? Math.min(asked, MAX_DELAY_MS) : LIMITS.pingIntervalMs;
      this.#liveness = new Liveness(intervalMs, now);
      this.#watch(this.#liveness, intervalMs, intervalMs);
    }
    this.#deps.onAcknowledged(ack);
  }

  #ended(end: SocketEnd): void {
    if (this.#isClosed) return;
    const {
      clock,
      log,
      emit,
      redact,
      random,
      reconnectMinMs: minMs,
      reconnectMaxMs: maxMs,
      shouldReconnect,
      onLost,
      onLast,
    } = this.#deps;
    const acknowledgedAt = this.#acknowledgedAt;
    this.#stopTimer();
    this.#socket = undefined;
    this.#acknowledgedAt = undefined;
    this.#liveness = undefined;
    if (this.#isLast) {
      log(describeEnd(end));
      onLost();
      return;
    }
    const code = end.cause === "close" ? end.code : undefined;
    const reason = redact(describeEnd(end));
    const pace = paceAfter(code);
    if (pace === "stop") {
      log(`${reason}: a newer connection of this instance took over, this one is over for good`);
      onLast("a newer connection of this instance took over");
      return;
    }
    // A worker that accepts and drops connections must meet fewer and fewer of them: an acknowledgement alone is not
    // enough to start over.
    const wasStable = acknowledgedAt !== undefined && clock.now() - acknowledgedAt >= maxMs;
    if (wasStable) this.#unstableInARow = 0;
    const isWanted = shouldReconnect({
      code: code === NO_CLOSE_FRAME ? undefined : code,
      reason,
      attempt: this.#unstableInARow + 1,
    });
    if (this.#isClosed) return;
    // Only a no counts: a function that returns nothing has not decided.
    if (isWanted === false) {
      log(`${reason}: shouldReconnect returned false, so this client is closed`);
      onLast("shouldReconnect returned false");
      return;
    }
    const delayMs = backoffMs(pace, { attempt: this.#unstableInARow, minMs, maxMs, random: random() });
    this.#unstableInARow += 1;
    log(`${reason}: connecting again in ${Math.round(delayMs)} ms`);
    emit({ type: "reconnecting", afterMs: delayMs, reason });
    this.#setTimer(() => this.open(), delayMs);
    if (acknowledgedAt !== undefined) onLost();
  }
}

function describeEnd(end: SocketEnd): string {
  if (end.cause !== "close") return end.message;
  const what = `closed with ${end.code}${end.reason === "" ? "" : ` (${JSON.stringify(end.reason)})`}`;
  if (end.code !== CLOSE_CODE.unknownToken) return what;
  return `${what}: this worker does not know this instance (was it restarted, or has the instance been replaced?)`;
}
