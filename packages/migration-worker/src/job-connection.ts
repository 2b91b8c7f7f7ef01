import {
  CLOSE_CODE,
  encodeWorkerToJobFrame,
  LIMITS,
  type CloseCode,
  type HelloFrame,
  type JobToWorkerFrame,
  type JobToWorkerFrameV2,
  type ReportFrame,
  type ReportFrameV2,
  type WorkerToJobFrame,
  type WorkerToJobFrameV2,
} from "@changeover/migration-protocol";
import { parseJobToWorkerFrame, parseJobToWorkerFrameV2 } from "@changeover/migration-protocol/compiled";
import type { Clock } from "./clock.js";
import { Liveness } from "./liveness.js";
import type { ServerSocket } from "./server-socket.js";
import { TokenBucket } from "./token-bucket.js";

/** How long a peer has to answer a close before its socket is cut. `ws` alone would hold it for 30 s. */
const closeHandshakeMs = 1_000;

/** What a job tells, with its migration and sequence number on a connection of version 2. */
export type Report = ReportFrame | ReportFrameV2;

/** What came of a report: the protocol was broken, or it was taken, or it changed nothing. */
export type Reception = { violation: string } | { ignored: string | undefined };

/** What a connection asks of its owner. */
export interface ConnectionOwner<Instance> {
  /** The instance that has this token. */
  authenticate(token: string): Instance | undefined;
  /** `hello` was right: the owner acknowledges it. */
  connected(instance: Instance, connection: JobConnection, session: string | undefined): void;
  reported(instance: Instance, report: Report): Reception;
  /** A connection was closed before it was known whose it is. */
  rejected(code: number, reason: string, address: string): void;
  violated(instance: Instance, reason: string): void;
  /** Called once, and only after `connected`. */
  disconnected(instance: Instance, connection: JobConnection, code: number, reason: string): void;
}

/** The worker's end of one job socket. */
export interface JobConnection {
  /** What both sides speak, from the moment that `hello` has been read. */
  readonly version: 1 | 2;
  send(frame: WorkerToJobFrame | WorkerToJobFrameV2): void;
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
  /** From 0 to, not including, 1. */
  random: () => number;
  /** Called once, when it is known whose connection it is, or when it has ended before. */
  onIdentified(): void;
}

/** Serves one accepted socket: `hello` first and in time, then reports, until either side closes. */
export function serveConnection<Instance>(
  socket: ServerSocket,
  owner: ConnectionOwner<Instance>,
  { clock, address, maxFrameBytes, random, onIdentified }: ConnectionSettings,
): JobConnection {
  const { helloTimeoutMs, maxHelloBytes } = LIMITS;
  const rate = new TokenBucket(reportRate, clock.now());
  let instance: Instance | undefined;
  let version: 1 | 2 = 1;
  let liveness: Liveness | undefined;
  let isOpen = true;
  let stopCut: (() => void) | undefined;
  let failure: { code: number; reason: string } | undefined;

  const connection: JobConnection = {
    get version() {
      return version;
    },
    send: (frame) => {
      if (!isOpen) return;
      const text = encodeWorkerToJobFrame(frame);
      if (socket.bufferedBytes > maxUnreadFrames * maxFrameBytes) {
        end(1006, `the job does not read: ${socket.bufferedBytes} bytes wait for it`);
        socket.terminate();
      } else {
        socket.send(text);
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
  const liftLimit = socket.limitBytes(maxHelloBytes, refuseLongHello);

  function refuseLongHello(): void {
    connection.close(CLOSE_CODE.frameTooLarge, `more than ${maxHelloBytes} bytes before hello`);
  }

  function identified(): void {
    stopHelloTimer();
    liftLimit();
    onIdentified();
  }

  function end(code: number, reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    liveness?.stop();
    identified();
    if (instance !== undefined) owner.disconnected(instance, connection, code, reason);
  }

  function violation(reason: string): void {
    if (instance !== undefined) owner.violated(instance, reason);
    connection.close(CLOSE_CODE.protocolViolation, reason);
  }

  function receive(data: { toString(): string }, isBinary: boolean): void {
    if (!isOpen) return;
    if (!rate.take(clock.now())) {
      return connection.close(CLOSE_CODE.tooMany, `more than ${reportRate.perSecond} frames a second`);
    }
    if (isBinary) return violation("frames are text, not binary");
    const text = data.toString();
    if (instance === undefined && text.length > maxHelloBytes) return refuseLongHello();
    liveness?.heard();
    const parsed = version === 2 ? parseJobToWorkerFrameV2(text) : parseJobToWorkerFrame(text);
    if (!parsed.ok) return violation(parsed.reason);
    return take(parsed.message);
  }

  function take(message: JobToWorkerFrame | JobToWorkerFrameV2): void {
    switch (message.type) {
      case "hello":
        return greet(message);
      case "ping":
        return connection.send({ type: "pong" });
      case "pong":
        return;
      default: {
        if (instance === undefined) return violation(`${message.type} was sent before hello`);
        const reception = owner.reported(instance, message);
        if ("violation" in reception) return violation(reception.violation);
        if ("seq" in message) {
          const { ignored } = reception;
          connection.send({ type: "report-ack", seq: message.seq, ...(ignored === undefined ? {} : { ignored }) });
        }
      }
    }
  }

  function greet({ token, protocol = 1, session }: HelloFrame): void {
    if (instance !== undefined) return violation("hello was sent twice");
    const known = owner.authenticate(token);
    if (known === undefined) return connection.close(CLOSE_CODE.unknownToken, "unknown token");
    identified();
    instance = known;
    if (protocol >= 2 && session !== undefined) {
      version = 2;
      liveness = new Liveness({
        clock,
        random,
        intervalMs: LIMITS.pingIntervalMs,
        ping: () => connection.send({ type: "ping" }),
        onDead: (silentMs) => {
          end(1006, `no sign of life for ${Math.round(silentMs)} ms`);
          socket.terminate();
        },
      });
    }
    owner.connected(known, connection, session);
  }

  socket.listen({
    message: receive,
    error: (error, isTooLarge) => {
      failure = isTooLarge
        ? { code: CLOSE_CODE.frameTooLarge, reason: `a frame was larger than ${maxFrameBytes} bytes` }
        : { code: 1006, reason: error.message };
    },
    close: (code, reason) => {
      stopCut?.();
      end(failure?.code ?? code, failure?.reason ?? reason);
    },
  });
  return connection;
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
