import { CLOSE_CODE } from "@changeover/migration-protocol";
import type { ServerSocket, ServerSocketEvents } from "../server-socket.js";
import type { Link, LinkEnd } from "./link.js";

/** The worker's end of a connection in memory. */
export class MemoryServerSocket implements ServerSocket, LinkEnd {
  readonly #maxFrameBytes: number;
  #link: Link | undefined;
  #events: ServerSocketEvents | undefined;
  #limit: { maxBytes: number; onExceeded: () => void } | undefined;
  #bytesRead = 0;
  #isPaused = false;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  attach(link: Link): void {
    this.#link = link;
  }

  get bufferedBytes(): number {
    return this.#link?.bufferedBytes("worker") ?? 0;
  }

  send(text: string): void {
    this.#link?.send("worker", text);
  }

  close(code: number, reason: string): void {
    this.#link?.close("worker", code, reason);
  }

  terminate(): void {
    this.#link?.terminate("worker");
  }

  listen(events: ServerSocketEvents): void {
    this.#events = events;
  }

  limitBytes(maxBytes: number, onExceeded: () => void): () => void {
    this.#limit = { maxBytes, onExceeded };
    return () => {
      this.#limit = undefined;
    };
  }

  received(text: string): void {
    if (this.#isPaused) return;
    const bytes = Buffer.byteLength(text);
    this.#bytesRead += bytes;
    if (this.#limit && this.#bytesRead > this.#limit.maxBytes) {
      this.#isPaused = true;
      this.#limit.onExceeded();
    } else if (bytes > this.#maxFrameBytes) {
      this.#events?.error(new Error("Max payload size exceeded"), true);
      this.close(CLOSE_CODE.frameTooLarge, "");
    } else {
      this.#events?.message(text, false);
    }
  }

  ended(code: number, reason: string): void {
    this.#events?.close(code, reason);
  }
}
