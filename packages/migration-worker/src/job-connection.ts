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
import type { RawData, WebSocket } from "ws";
import type { Clock } from "./clock.js";

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
  violated(instance: Instance, reason: string): void;
  /** Called once, and only after `connected`. */
  disconnected(instance: Instance, connection: JobConnection, code: number, reason: string): void;
}

/** The worker's end of one job socket. */
export interface JobConnection {
  send(frame: WorkerToJobFrame): void;
  close(code: CloseCode, reason: string): void;
}

/** Serves one accepted socket: `hello` first and in time, then reports, until either side closes. */
export function serveConnection<Instance>(
  socket: WebSocket,
  owner: ConnectionOwner<Instance>,
  { clock, helloTimeoutMs }: { clock: Clock; helloTimeoutMs: number },
): JobConnection {
  let instance: Instance | undefined;
  let isOpen = true;
  let stopCut: (() => void) | undefined;

  const connection: JobConnection = {
    send: (frame) => {
      if (isOpen) socket.send(encodeWorkerToJobFrame(frame), ignoreSendError);
    },
    close: (code, reason) => {
      if (!isOpen) return;
      end(code, reason);
      socket.close(code, shortened(reason));
      stopCut = clock.setTimer(() => socket.terminate(), closeHandshakeMs);
    },
  };
  const stopHelloTimer = clock.setTimer(() => {
    connection.close(CLOSE_CODE.helloTimeout, `no hello within ${helloTimeoutMs} ms`);
  }, helloTimeoutMs);

  function end(code: number, reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    stopHelloTimer();
    if (instance !== undefined) owner.disconnected(instance, connection, code, reason);
  }

  function violation(reason: string): void {
    if (instance !== undefined) owner.violated(instance, reason);
    connection.close(CLOSE_CODE.protocolViolation, reason);
  }

  function receive(data: RawData, isBinary: boolean): void {
    if (!isOpen) return;
    if (isBinary) return violation("frames are text, not binary");
    const parsed = parseJobToWorkerFrame(data.toString());
    if (!parsed.ok) return violation(parsed.reason);
    const { message } = parsed;
    if (message.type === "hello") {
      if (instance !== undefined) return violation("hello was sent twice");
      const known = owner.authenticate(message.token);
      if (known === undefined) return connection.close(CLOSE_CODE.unknownToken, "unknown token");
      stopHelloTimer();
      instance = known;
      return owner.connected(known, connection);
    }
    if (instance === undefined) return violation(`${message.type} was sent before hello`);
    const wrong = owner.reported(instance, message);
    if (wrong !== undefined) violation(wrong);
  }

  socket.on("message", receive);
  // What went wrong arrives as a close as well; without a listener the error would end the process.
  socket.on("error", () => {});
  socket.on("close", (code, reason) => {
    stopCut?.();
    end(code, reason.toString());
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
