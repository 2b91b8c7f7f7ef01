import type { WebSocket } from "ws";
import { readFrame, showFrame, showValue, type Frame } from "./frame.js";
import { Inbox } from "./inbox.js";
import { matches, showPattern, type Pattern } from "./matches.js";
import { Violation } from "./violation.js";

/** How long a client may take for what it is to do at once: it may run on a machine that does a lot else. */
export const promptMs = 5_000;
/** How long a client is watched for something that it must not do. */
export const quietMs = 300;

/** How the client came. */
export interface Request {
  readonly path: string;
  readonly headers: string;
}

/** One connection of the client under test. Its frames are taken one after the other, none is passed over. */
export class JobConnection {
  readonly request: Request;
  readonly #socket: WebSocket;
  readonly #log: (line: string) => void;
  readonly #inbox = new Inbox<Frame>();
  #version: 1 | 2 = 1;
  #answersPing = false;
  #end: string | undefined;
  /** What becomes of pings in version 2: most rules want them answered as they come and hear nothing of them. */
  pings: "answered" | "ignored" | "expected" = "answered";

  constructor(socket: WebSocket, request: Request, log: (line: string) => void) {
    this.#socket = socket;
    this.request = request;
    this.#log = log;
    socket.on("message", (data, isBinary) => this.#receive(readFrame(String(data), isBinary)));
    // A close comes after it.
    socket.on("error", () => {});
    socket.on("close", (code, reason) => {
      this.#end = `the end of its connection (${code}${reason.length > 0 ? ` ${String(reason)}` : ""})`;
      this.#log(this.#end);
      this.#inbox.end();
    });
  }

  /** Completes the hello. Version 2, unless `fields` is about version 1: then with no more than is given. */
  acknowledge(fields: Readonly<Record<string, unknown>> = {}, version: 1 | 2 = 2): void {
    this.#version = version;
    this.#answersPing = version === 2;
    const versionTwo = { protocol: 2, worker: "changeover conformance", epoch: 1, pingIntervalMs: 10_000 };
    const limits = { maxFrameBytes: 8 * 1024 * 1024 };
    this.send({ type: "hello-ack", ...(version === 2 ? { ...versionTwo, limits } : {}), ...fields });
  }

  /** Sends a command of a migration with what its version has. */
  command(type: string, migrationId: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const versionTwo = this.#version === 2 ? { epoch: 1, deadlineMs: 10_000 } : {};
    this.send({ type, migrationId, ...versionTwo, ...fields });
  }

  send(frame: Frame): void {
    this.#log(`W -> C  ${showFrame(frame)}`);
    this.#socket.send(JSON.stringify(frame));
  }

  /** Sends what is no frame. */
  sendRaw(data: string | Uint8Array): void {
    this.#log(`W -> C  ${typeof data === "string" ? `the text ${data}` : `${data.length} binary bytes`}`);
    this.#socket.send(data);
  }

  /** Takes the next frame, which is to be of this type with at least these fields. */
  async expect(type: string, pattern: Pattern = {}, withinMs = promptMs): Promise<Frame> {
    const expected = showPattern(pattern) === "{}" ? type : `${type} ${showPattern(pattern)}`;
    const frame = await this.#inbox.next(withinMs);
    if (!frame) throw new Violation(expected, this.#end ?? `nothing within ${withinMs} ms`);
    if (frame.type !== type || !matches(frame, pattern)) throw new Violation(expected, showFrame(frame));
    return frame;
  }

  /** Takes the next frame, a report, and acknowledges it where the version does so. */
  async expectReport(type: string, pattern: Pattern = {}): Promise<Frame> {
    const frame = await this.expect(type, pattern);
    this.acknowledgeReport(frame);
    return frame;
  }

  acknowledgeReport({ seq }: Frame, ignored?: string): void {
    if (this.#version === 1 || typeof seq !== "number") return;
    this.send({ type: "report-ack", seq, ...(ignored === undefined ? {} : { ignored }) });
  }

  /**
   * Watches that the client says nothing and stays. The time is the client's own: on a busy machine it may not have run
   * in all of ours, so it begins and ends with its answer to a ping.
   */
  async expectQuiet(ms = quietMs): Promise<void> {
    const expected = `nothing for ${ms} ms`;
    await this.#catchUp(expected);
    const frame = await this.#inbox.next(ms);
    if (frame) throw new Violation(expected, showFrame(frame));
    await this.#catchUp(expected);
    if (this.#end !== undefined) throw new Violation("the connection to stay", this.#end);
  }

  /** Waits until the client has ended the connection, whatever it still says. */
  async expectEnd(withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (this.#end === undefined) {
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0)
        throw new Violation(`the end of the connection within ${withinMs} ms`, "a connection that stays");
      await this.#inbox.next(leftMs);
    }
  }

  /** Closes the connection; whatever was sent before arrives before. */
  close(code: number, reason: string): void {
    this.#log(`W -> C  close ${code} ${showValue(reason)}`);
    this.#socket.close(code, reason);
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#log("W -> C  (the connection is cut)");
    this.#socket.terminate();
  }

  /** Waits until the client has read all that was sent to it, as far as it answers pings: that is a rule of its own. */
  async #catchUp(expected: string): Promise<void> {
    if (!this.#answersPing || this.#end !== undefined) return;
    this.send({ type: "ping" });
    const frame = await this.#inbox.next(promptMs);
    if (frame && frame.type !== "pong") throw new Violation(expected, showFrame(frame));
    this.#answersPing = frame !== undefined;
  }

  #receive(frame: Frame): void {
    this.#log(`C -> W  ${showFrame(frame)}`);
    // To a worker of version 1 a ping is as wrong as anything else that it does not know.
    if (frame.type !== "ping" || this.#version === 1 || this.pings === "expected") this.#inbox.put(frame);
    else if (this.pings === "answered") this.send({ type: "pong" });
  }
}
