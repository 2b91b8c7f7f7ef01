import {
  CLOSE_CODE,
  encodeJobToWorkerFrame,
  LIMITS,
  parseWorkerToJobFrame,
  parseWorkerToJobFrameV2,
  PROTOCOL_VERSION,
  type HelloAckFrame,
  type ReportAckFrame,
} from "@changeover/migration-protocol";
import { backoffMs, paceAfter } from "./backoff.js";
import { MAX_DELAY_MS, type Clock } from "./clock.js";
import { describeError } from "./describe-error.js";
import type { ConnectionEvent } from "./handover-event.js";
import { newLiveness, type Liveness } from "./liveness.js";
import type { ConnectionEnd } from "./migration-client-options.js";
import { oneEndSocket, type OneEndSocket, type SocketEnd } from "./one-end-socket.js";
import type { OpenSocket } from "./open-socket.js";
import type { CommandFrame } from "./rules/session.js";
import { showValue } from "./show-value.js";
import { VERSION } from "./version.js";

// A worker on the same network answers within milliseconds; what takes this long will not answer any more.
const ANSWER_TIMEOUT_MS = 10_000;
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
  /** Never throws. */
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
export interface Connection {
  readonly isAcknowledged: () => boolean;
  open(): Promise<void>;
  /** Writes a frame to the acknowledged connection; false if there is none. */
  readonly send: (text: string) => boolean;
  /** From now on no other connection follows when this one is lost. */
  retire(): void;
  close(): void;
}

export function newConnection(deps: ConnectionDeps): Connection {
  const { url, shownUrl, token, sessionId: session, clock, random, openSocket, shouldReconnect } = deps;
  const { reconnectMinMs: minMs, reconnectMaxMs: maxMs, log, redact, emit } = deps;
  const unknownTypes = new Set<string>();
  let socket: OneEndSocket | undefined;
  let acknowledgedAt: number | undefined;
  let isVersion2 = false;
  let liveness: Liveness | undefined;
  let unstableInARow = 0;
  let isLast = false;
  let isClosed = false;
  // One timer at a time is enough: connecting, waiting for the acknowledgement, for a sign of life, for the next attempt,
  // for the end.
  let stopTimer = (): void => {};

  const isAcknowledged = (): boolean => acknowledgedAt !== undefined;
  const send = (text: string): boolean => isAcknowledged() && socket?.send(text) === true;
  const skip = (reason: string): void => log(`a frame was skipped: ${reason}`);

  function setTimer(run: () => void, ms: number): void {
    stopTimer();
    stopTimer = clock.setTimer(run, ms);
  }

  function within(what: string, fail: (reason: string) => void): void {
    setTimer(() => fail(`no ${what} within ${ANSWER_TIMEOUT_MS} ms`), ANSWER_TIMEOUT_MS);
  }

  async function open(): Promise<void> {
    log(`connecting to ${shownUrl}`);
    emit({ type: "connecting", url: shownUrl });
    let isOver = false;
    const onEnd = (end: SocketEnd): void => {
      if (isOver) return;
      isOver = true;
      ended(end);
    };
    const fail = (reason: string): void => onEnd({ reason });
    within("socket", fail);
    try {
      const opened = openSocket(url);
      const webSocket = opened instanceof Promise ? await opened : opened;
      if (typeof webSocket?.addEventListener !== "function") {
        return fail(`createSocket returned ${showValue(webSocket)}, which is no WebSocket`);
      }
      const next = oneEndSocket(webSocket, {
        onOpen() {
          within("hello-ack", next.fail);
          next.send(
            encodeJobToWorkerFrame({ type: "hello", token, protocol: PROTOCOL_VERSION, session, client: CLIENT }),
          );
        },
        onText: receive,
        onEnd,
      });
      if (isOver || isClosed) return next.fail("it came too late");
      socket = next;
      within("connection", next.fail);
    } catch (error) {
      fail(describeError(error));
    }
  }

  function receive(text: string | undefined): void {
    liveness?.heard(clock.now());
    deps.onHeard();
    if (text === undefined) return skip("it is no text");
    const result = (isVersion2 ? parseWorkerToJobFrameV2 : parseWorkerToJobFrame)(text);
    if (!result.ok) {
      const { reason, unknownType } = result;
      if (unknownType !== undefined && unknownTypes.has(unknownType)) return;
      if (unknownType !== undefined) unknownTypes.add(unknownType);
      return skip(reason);
    }
    const { message } = result;
    if (isAcknowledged() === (message.type === "hello-ack")) {
      return skip(`${message.type} ${isAcknowledged() ? "came twice" : "came before hello-ack"}`);
    }
    switch (message.type) {
      case "hello-ack":
        acknowledge(message);
        break;
      case "ping":
        send(PONG);
        break;
      case "pong":
        break;
      case "report-ack":
        deps.onReportAck(message);
        break;
      default:
        deps.onCommand(message);
    }
  }

  function acknowledge(ack: HelloAckFrame): void {
    stopTimer();
    acknowledgedAt = clock.now();
    isVersion2 = ack.protocol === PROTOCOL_VERSION;
    if (isVersion2) watch(acknowledgedAt, ack.pingIntervalMs);
    deps.onAcknowledged(ack);
  }

  /** Looks from now on whether the worker still says something. */
  function watch(now: number, askedMs = 0): void {
    const intervalMs = askedMs > 0 ? Math.min(askedMs, MAX_DELAY_MS) : LIMITS.pingIntervalMs;
    const watched = newLiveness(intervalMs, now);
    const lookAfter = (ms: number): void =>
      setTimer(() => {
        const step = watched.look(clock.now());
        if (step.act === "give-up") socket?.fail(`no sign of life from the worker within ${2 * intervalMs} ms`);
        else if (step.act === "wait" || send(PING)) lookAfter(step.ms);
      }, ms);
    liveness = watched;
    lookAfter(intervalMs);
  }

  function ended({ code, reason: what }: SocketEnd): void {
    if (isClosed) return;
    const stableSince = acknowledgedAt;
    stopTimer();
    socket = acknowledgedAt = liveness = undefined;
    isVersion2 = false;
    const unknown = code === CLOSE_CODE.unknownToken ? ": was the worker restarted, or this instance replaced?" : "";
    const reason = redact(what + unknown);
    if (isLast) {
      log(reason);
      return deps.onLost();
    }
    const last = (why: string): void => {
      log(reason);
      deps.onLast(why);
    };
    const pace = paceAfter(code);
    if (pace === "stop") return last("a newer connection of this instance took over");
    // A worker that accepts and drops connections must meet fewer and fewer of them: an acknowledgement alone is not
    // enough to start over.
    if (stableSince !== undefined && clock.now() - stableSince >= maxMs) unstableInARow = 0;
    const attempt = unstableInARow++;
    const isWanted = shouldReconnect({
      code: code === NO_CLOSE_FRAME ? undefined : code,
      reason,
      attempt: attempt + 1,
    });
    if (isClosed) return;
    if (!isWanted) return last("shouldReconnect returned false");
    const delayMs = backoffMs(pace, { attempt, minMs, maxMs, random: random() });
    log(`${reason}: connecting again in ${Math.round(delayMs)} ms`);
    emit({ type: "reconnecting", afterMs: delayMs, reason });
    setTimer(() => void open(), delayMs);
    if (stableSince !== undefined) deps.onLost();
  }

  return {
    isAcknowledged,
    open,
    send,
    retire() {
      isLast = true;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      stopTimer();
      acknowledgedAt = undefined;
      if (!socket) return deps.onClosed();
      setTimer(socket.abandon, CLOSE_TIMEOUT_MS);
      socket.close(() => {
        stopTimer();
        deps.onClosed();
      });
    },
  };
}
