import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { WebSocket, type ClientOptions } from "ws";

type Frame = { type: string } & Record<string, unknown>;

/** What a job of version 2 adds to its hello. */
export const helloV2 = { protocol: 2, session: "session-1", client: "scripted/1.0.0" };

/** A job that says what the test tells it to and keeps what it hears; of version 1 unless its hello says otherwise. */
export class ScriptedJob {
  readonly heard: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();

  private constructor(url: string, options: ClientOptions) {
    this.#socket = new WebSocket(url, options);
    this.#socket.on("error", () => {});
    this.#socket.on("message", (data) => {
      this.heard.push(JSON.parse(String(data)));
      for (const look of this.#waiting) look();
    });
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** Connects without a word. */
  static async open(url: string, options: ClientOptions = {}): Promise<ScriptedJob> {
    const job = new ScriptedJob(url, options);
    await new Promise((resolve) => job.#socket.once("open", resolve));
    return job;
  }

  /** Connects and is acknowledged. */
  static async connect(env: Record<string, string>, options?: ClientOptions, hello: object = {}): Promise<ScriptedJob> {
    const job = await ScriptedJob.open(env[JOB_SOCKET_ENV.url] ?? "", options);
    job.send({ type: "hello", token: env[JOB_SOCKET_ENV.token], ...hello });
    await job.hears("hello-ack");
    return job;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  sendBinary(data: Uint8Array): void {
    this.#socket.send(data);
  }

  /** Resolves with the first frame of this type, counted from `after`. */
  hears(type: string, after = 0): Promise<Frame> {
    return new Promise((resolve) => {
      const look = (): void => {
        const frame = this.heard.slice(after).find((candidate) => candidate.type === type);
        if (!frame) return;
        this.#waiting.delete(look);
        resolve(frame);
      };
      this.#waiting.add(look);
      look();
    });
  }

  get types(): string[] {
    return this.heard.map((frame) => frame.type);
  }

  /** Cuts the connection without a close handshake. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Stops reading: the peer sees a connection that is open and silent. */
  stall(): void {
    this.#socket.pause();
  }
}
