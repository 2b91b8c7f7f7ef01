import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ServerSocket, ServerSocketEvents } from "./server-socket.js";

/** A socket of `ws`, with the connection below it. */
export class WsServerSocket implements ServerSocket {
  readonly #socket: WebSocket;
  readonly #tcp: Socket;
  readonly #readBefore: number;

  constructor(socket: WebSocket, tcp: Socket) {
    this.#socket = socket;
    this.#tcp = tcp;
    this.#readBefore = tcp.bytesRead;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    this.#socket.send(text, ignoreSendError);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  listen(events: ServerSocketEvents): void {
    this.#socket.on("message", events.message);
    this.#socket.on("error", (error) => {
      events.error(error, "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH");
    });
    this.#socket.on("close", (code, reason) => events.close(code, reason.toString()));
  }

  limitBytes(maxBytes: number, onExceeded: () => void): () => void {
    const tcp = this.#tcp;
    const count = (): void => {
      if (tcp.bytesRead - this.#readBefore <= maxBytes) return;
      onExceeded();
      tcp.pause();
    };
    tcp.on("data", count);
    return () => tcp.off("data", count);
  }
}

function ignoreSendError(): void {
  // A socket that cannot send closes, and that is noticed.
}
