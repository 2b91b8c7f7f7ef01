/** The part of a WHATWG event that a job socket reads. */
export interface TestSocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** What `connectMigration` needs of a `WebSocket`. */
export interface TestWebSocket {
  binaryType: string;
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: TestSocketEvent) => void): void;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Cuts the connection, as sockets of `ws` can. */
  terminate(): void;
}

/** What a socket does to its connection. */
export interface SocketLine {
  send(text: string): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** The job's end of a connection in memory. */
export class JobWebSocket implements TestWebSocket {
  binaryType = "blob";
  readonly #listeners = new Map<string, Set<(event: TestSocketEvent) => void>>();
  #line: SocketLine | undefined;
  #isOver = false;

  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: TestSocketEvent) => void): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  send(data: string): void {
    if (!this.#line && !this.#isOver) throw new Error("the socket is still connecting");
    this.#line?.send(data);
  }

  close(code = 1005, reason = ""): void {
    if (this.#line) this.#line.close(code, reason);
    else this.#isOver = true;
  }

  terminate(): void {
    if (this.#line) this.#line.terminate();
    else this.#isOver = true;
  }

  /** Whether the attempt to connect has been given up. */
  get isAbandoned(): boolean {
    return this.#isOver;
  }

  opened(line: SocketLine): void {
    this.#line = line;
    this.#emit({ type: "open" });
  }

  /** Nobody listens there. Implementations differ in whether a close follows; `ws` is one where it does. */
  refused(message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#emit({ type: "error", message });
    this.#emit({ type: "close", code: 1006, reason: "" });
  }

  received(text: string): void {
    this.#emit({ type: "message", data: text });
  }

  ended(code: number, reason: string): void {
    this.#isOver = true;
    this.#emit({ type: "close", code, reason });
  }

  #emit(event: TestSocketEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
  }
}
