import { describeError } from "./describe-error.js";
import type { WebSocketEventLike, WebSocketLike } from "./web-socket.js";

/** How a socket ended: the first of close, error and time-out that happened to it. */
export type SocketEnd =
  | { readonly cause: "close"; readonly code: number; readonly reason: string }
  | { readonly cause: "error"; readonly message: string }
  | { readonly cause: "timeout"; readonly message: string };

export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  /** A message that is neither text nor an ArrayBuffer of text. */
  onUnreadable(): void;
  /** Called at most once, and not after {@link OneEndSocket.close}. Nothing else is called after it. */
  onEnd(end: SocketEnd): void;
}

/**
 * A WebSocket with exactly one end. Implementations differ: undici 6 answers a refused connect with `error` and no
 * `close` and leaves `readyState` at 0, `ws` emits both, and an `error` even when it is closed while connecting. So
 * the first event counts, `readyState` is never read, and the listeners stay for the life of the socket.
 */
export class OneEndSocket {
  readonly #socket: WebSocketLike;
  readonly #events: SocketEvents;

  /** Ends a socket that came too late to be used. */
  static discard(webSocket: WebSocketLike): void {
    const nothing = (): void => {};
    const events = { onOpen: nothing, onText: nothing, onUnreadable: nothing, onEnd: nothing };
    const socket = new OneEndSocket(webSocket, events);
    socket.close(1000, nothing);
    socket.abandon();
  }

  #isOver = false;
  #onGone: () => void = () => {};

  constructor(socket: WebSocketLike, events: SocketEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (!this.#isOver) events.onOpen();
    });
    socket.addEventListener("message", (event) => this.#message(event.data));
    socket.addEventListener("error", (event) => {
      this.#end({ cause: "error", message: errorMessage(event) });
      this.abandon();
    });
    socket.addEventListener("close", (event) => {
      this.#end({ cause: "close", code: event.code ?? 1005, reason: event.reason ?? "" });
      this.#gone();
    });
  }

  /** Writes a frame; false if the socket has ended, also by this. */
  send(text: string): boolean {
    if (this.#isOver) return false;
    try {
      this.#socket.send(text);
      return true;
    } catch (error) {
      this.#end({ cause: "error", message: describeError(error) });
      return false;
    }
  }

  /** Ends the socket from this side, without an event. `onGone` is called as soon as there is nothing left of it. */
  close(code: number, onGone: () => void): void {
    if (this.#isOver) {
      onGone();
      return;
    }
    this.#isOver = true;
    this.#onGone = onGone;
    this.#shut(code);
  }

  /** Waits no longer for the other side to agree to a close. */
  abandon(): void {
    // Without this `ws` keeps the process alive for as long as 30 s.
    if (canTerminate(this.#socket)) this.#socket.terminate();
    this.#gone();
  }

  /** Ends a socket whose other side does not answer. */
  expire(message: string): void {
    this.#end({ cause: "timeout", message });
  }

  #message(data: unknown): void {
    if (this.#isOver) return;
    const text = data instanceof ArrayBuffer ? decode(data) : data;
    if (typeof text === "string") this.#events.onText(text);
    else this.#events.onUnreadable();
  }

  #end(end: SocketEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (end.cause === "timeout" && canTerminate(this.#socket)) this.#socket.terminate();
    else if (end.cause !== "close") this.#shut();
    this.#events.onEnd(end);
  }

  #gone(): void {
    const onGone = this.#onGone;
    this.#onGone = () => {};
    onGone();
  }

  #shut(code?: number): void {
    try {
      this.#socket.close(code);
    } catch {
      // It is over for this side in any case, and there is nobody who could do more.
    }
  }
}

/** Undefined for what is no UTF-8: with replaced characters it would be another text than the one that was sent. */
function decode(data: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return undefined;
  }
}

function errorMessage(event: WebSocketEventLike): string {
  return event.message || (event.error === undefined ? "the socket failed" : describeError(event.error));
}

function canTerminate(socket: WebSocketLike): socket is WebSocketLike & { terminate(): void } {
  return "terminate" in socket && typeof socket.terminate === "function";
}
