import {
  parseJobToWorkerFrame,
  parseJobToWorkerFrameV2,
  type HelloAckFrame,
  type JobToWorkerFrame,
  type JobToWorkerFrameV2,
  type WorkerToJobFrame,
  type WorkerToJobFrameV2,
} from "@changeover/migration-protocol";

/** A WebSocket of the WHATWG shape without a network: the test plays the other end and the implementation. */
export class FakeWebSocket extends EventTarget {
  binaryType = "blob";
  readonly url: string;
  readonly sent: string[] = [];
  /** The codes with which the client closed this socket. */
  readonly closes: (number | undefined)[] = [];
  /** What `send` throws, if anything. */
  sendError: Error | undefined;

  constructor(url: string) {
    super();
    this.url = url;
  }

  send(data: string): void {
    if (this.sendError) throw this.sendError;
    this.sent.push(data);
  }

  close(code?: number): void {
    this.closes.push(code);
  }

  /** The frames that the client sent, read as a worker reads them. */
  get frames(): JobToWorkerFrame[] {
    return this.sent.map((text) => {
      const result = parseJobToWorkerFrame(text);
      if (!result.ok) throw new Error(result.reason);
      return result.message;
    });
  }

  /** As `frames`, without the hello. */
  get answers(): JobToWorkerFrame[] {
    return this.frames.slice(1);
  }

  /** What was sent after the hello, as a worker of version 2 reads it. */
  get answersV2(): JobToWorkerFrameV2[] {
    return this.sent.slice(1).map((text) => {
      const result = parseJobToWorkerFrameV2(text);
      if (!result.ok) throw new Error(result.reason);
      return result.message;
    });
  }

  fireOpen(): void {
    this.dispatchEvent(new Event("open"));
  }

  fireMessage(data: unknown): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }

  fireFrame(...frames: (WorkerToJobFrame | WorkerToJobFrameV2)[]): void {
    for (const frame of frames) this.fireMessage(JSON.stringify(frame));
  }

  fireError(message?: string): void {
    this.dispatchEvent(Object.assign(new Event("error"), message === undefined ? {} : { message }));
  }

  fireClose(code: number, reason = ""): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }

  /** Opens the socket and acknowledges the hello: as a target if there is a migration. */
  acknowledge(migrationId?: string): void {
    this.fireOpen();
    this.fireFrame({ type: "hello-ack", ...(migrationId === undefined ? {} : { migration: { id: migrationId } }) });
  }

  /** As `acknowledge`, by a worker that speaks version 2. */
  acknowledgeV2(migrationId?: string, extra: Partial<HelloAckFrame> = {}): void {
    this.fireOpen();
    this.fireFrame({
      type: "hello-ack",
      protocol: 2,
      worker: "test/1.0.0",
      epoch: 1,
      limits: { maxFrameBytes: 8 * 1024 * 1024 },
      pingIntervalMs: 10_000,
      ...(migrationId === undefined ? {} : { migration: { id: migrationId } }),
      ...extra,
    });
  }
}
