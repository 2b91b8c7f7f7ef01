import {
  CLOSE_CODE,
  encodeWorkerToJobFrame,
  LIMITS,
  type CloseCode,
  type HelloFrame,
  type JobToWorkerFrame,
  type WorkerToJobFrame,
} from "@changeover/migration-protocol";
import { parseJobToWorkerFrame } from "@changeover/migration-protocol/compiled";
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { Clock } from "./clock.js";
import { TokenBucket } from "./token-bucket.js";

/** How long a peer has to answer a close before its socket is cut. `ws` alone would hold it for 30 s. */
const closeHandshakeMs = 1_000;

/** A frame that a job may send once it is known. */
export type Report = Exclude<JobToWorkerFrame, HelloFrame>;

/** What a connection asks of its owner. */
export interface ConnectionOwner<Instance> {
  /** The instance that has this token. */
  authenticate(token: string): Instance | undefined;
  /** `hello` was right: the owner acknowledges it. */
  connected(instance: Instance, connection: JobConnection): void;
  /** Returns what is wrong with the report where it breaks the protocol. */
  reported(instance: Instance, report: Report): string | undefined;
  /** A connection was closed before it was known whose it is. */
  rejected(code: number, reason: string, address: string): void;
  violated(instance: Instance, reason: string): void;
  /** Called once, and only after `connected`. */
  disconnected(instance: Instance, connection: JobConnection, code: number, reason: string): void;
}

/** The worker's end of one job socket. */
export interface JobConnection {
  send(frame: WorkerToJobFrame): void;
  close(code: CloseCode, reason: string): void;
}

/** Bytes that may wait for a peer that does not read, as a multiple of the largest frame. */
const maxUnreadFrames = 2;
/** A job sends a dozen frames in a handover: who sends more than this is broken or means harm. */
const reportRate = { burst: 200, perSecond: 50 };

export interface ConnectionSettings {
  clock: Clock;
  /** Where the connection comes from. */
  address: string;
  maxFrameBytes: number;
  /** Called once, when it is known whose connection it is, or when it has ended before. */
  onIdentified(): void;
}

/** Serves one accepted socket: `hello` first and in time, then reports, until either side closes. */
export function serveConnection<Instance>(
  socket: WebSocket,
  tcp: Socket,
  owner: ConnectionOwner<Instance>,
  { clock, address, maxFrameBytes, onIdentified }: ConnectionSettings,
): JobConnection {
  const { helloTimeoutMs, maxHelloBytes } = LIMITS;
  const rate = new TokenBucket(reportRate, clock.now());
  const readBefore = tcp.bytesRead;
  let instance: Instance | undefined;
  let isOpen = true;
  let stopCut: (() => void) | undefined;
  let failure: { code: number; reason: string } | undefined;

  const connection: JobConnection = {
    send: (frame) => {
      if (!isOpen) return;
      const text = encodeWorkerToJobFrame(frame);
      if (socket.bufferedAmount > maxUnreadFrames * maxFrameBytes) {
        end(1006, `the job does not read: ${socket.bufferedAmount} bytes wait for it`);
        socket.terminate();
      } else {
        socket.send(text, ignoreSendError);
      }
    },
    close: (code, reason) => {
      if (!isOpen) return;
      if (instance === undefined && code !== CLOSE_CODE.workerRestarting) owner.rejected(code, reason, address);
      end(code, reason);
      socket.close(code, shortened(reason));
      stopCut = clock.setTimer(() => socket.terminate(), closeHandshakeMs);
    },
  };
  const stopHelloTimer = clock.setTimer(() => {
    connection.close(CLOSE_CODE.helloTimeout, `no hello within ${helloTimeoutMs} ms`);
  }, helloTimeoutMs);

  // A stranger must not make the worker keep a large frame in memory, nor feed it for ever.
  function countBytes(): void {
    if (tcp.bytesRead - readBefore <= maxHelloBytes) return;
    refuseLongHello();
    tcp.pause();
  }

  function refuseLongHello(): void {
    connection.close(CLOSE_CODE.frameTooLarge, `more than ${maxHelloBytes} bytes before hello`);
  }

  function identified(): void {
    stopHelloTimer();
    tcp.off("data", countBytes);
    onIdentified();
  }

  function end(code: number, reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    identified();
    if (instance !== undefined) owner.disconnected(instance, connection, code, reason);
  }

  function violation(reason: string): void {
    if (instance !== undefined) owner.violated(instance, reason);
    connection.close(CLOSE_CODE.protocolViolation, reason);
  }

  function receive(data: RawData, isBinary: boolean): void {
    if (!isOpen) return;
    if (!rate.take(clock.now())) {
      return connection.close(CLOSE_CODE.tooMany, `more than ${reportRate.perSecond} frames a second`);
    }
    if (isBinary) return violation("frames are text, not binary");
    const text = data.toString();
    if (instance === undefined && text.length > maxHelloBytes) return refuseLongHello();
    const parsed = parseJobToWorkerFrame(text);
    if (!parsed.ok) return violation(parsed.reason);
    const { message } = parsed;
    if (message.type === "hello") {
      if (instance !== undefined) return violation("hello was sent twice");
      const known = owner.authenticate(message.token);
      if (known === undefined) return connection.close(CLOSE_CODE.unknownToken, "unknown token");
      identified();
      instance = known;
      return owner.connected(known, connection);
    }
    if (instance === undefined) return violation(`${message.type} was sent before hello`);
    const wrong = owner.reported(instance, message);
    if (wrong !== undefined) violation(wrong);
  }

  tcp.on("data", countBytes);
  socket.on("message", receive);
  // What went wrong arrives as a close as well, but without saying so.
  socket.on("error", (error) => {
    const isTooLarge = "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
    failure = isTooLarge
      ? { code: CLOSE_CODE.frameTooLarge, reason: `a frame was larger than ${maxFrameBytes} bytes` }
      : { code: 1006, reason: error.message };
  });
  socket.on("close", (code, reason) => {
    stopCut?.();
    end(failure?.code ?? code, failure?.reason ?? reason.toString());
  });
  return connection;
}

function ignoreSendError(): void {
  // A socket that cannot send closes, and that is noticed.
}

/** Cuts a close reason to what a control frame takes, without splitting a character. */
function shortened(reason: string): string {
  let text = "";
  for (const character of reason) {
    if (Buffer.byteLength(text + character) > LIMITS.maxCloseReasonBytes) break;
    text += character;
  }
  return text;
}
