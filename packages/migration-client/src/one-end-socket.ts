import { describeError } from "./describe-error.js";
import type { WebSocketLike } from "./web-socket.js";

/** How a socket ended: the first of close, error and time-out that happened to it. */
export interface SocketEnd {
  /** Of a close. */
  readonly code?: number;
  readonly reason: string;
}

export interface SocketEvents {
  onOpen(): void;
  /** A message; undefined for one that is neither text nor an ArrayBuffer of text. */
  onText(text: string | undefined): void;
  /** Called at most once, and not after {@link OneEndSocket.close}. Nothing else is called after it. */
  onEnd(end: SocketEnd): void;
}

export interface OneEndSocket {
  /** Writes a frame; false if the socket has ended, also by this. */
  send(text: string): boolean;
  /** Ends the socket from this side, without an event. `onGone` is called as soon as there is nothing left of it. */
  close(onGone: () => void): void;
  /** Waits no longer for the other side to agree to a close. */
  abandon(): void;
  /** Ends a socket that cannot be used, or whose other side does not answer. */
  fail(reason: string): void;
}

/**
 * A WebSocket with exactly one end. Implementations differ: undici 6 answers a refused connect with `error` and no
 * `close` and leaves `readyState` at 0, `ws` emits both, and an `error` even when it is closed while connecting. So
 * the first event counts, `readyState` is never read, and the listeners stay for the life of the socket.
 */
export function oneEndSocket(socket: WebSocketLike, { onOpen, onText, onEnd }: SocketEvents): OneEndSocket {
  let isOver = false;
  let onGone: (() => void) | undefined;

  function gone(): void {
    onGone?.();
    onGone = undefined;
  }

  function shut(code?: number): void {
    try {
      socket.close(code);
    } catch {
      // It is over for this side in any case, and there is nobody who could do more.
    }
  }

  function end(how: SocketEnd): void {
    if (isOver) return;
    isOver = true;
    if (how.code === undefined) shut();
    onEnd(how);
  }

  function abandon(): void {
    // Without this `ws` keeps the process alive for as long as 30 s.
    if (canTerminate(socket)) socket.terminate();
    gone();
  }

  function fail(reason: string): void {
    end({ reason });
    abandon();
  }

  socket.binaryType = "arraybuffer";
  socket.addEventListener("open", () => {
    if (!isOver) onOpen();
  });
  socket.addEventListener("message", ({ data }) => {
    if (!isOver) onText(textOf(data));
  });
  socket.addEventListener("error", ({ message, error }) =>
    fail(message || (error === undefined ? "the socket failed" : describeError(error))),
  );
  socket.addEventListener("close", ({ code = 1005, reason }) => {
    end({ code, reason: `closed with ${code}${reason ? ` (${JSON.stringify(reason)})` : ""}` });
    gone();
  });

  return {
    send(text) {
      if (isOver) return false;
      try {
        socket.send(text);
      } catch (error) {
        fail(describeError(error));
      }
      return !isOver;
    },
    close(whenGone) {
      onGone = whenGone;
      if (isOver) return gone();
      isOver = true;
      shut(1000);
    },
    abandon,
    fail,
  };
}

function textOf(data: unknown): string | undefined {
  if (!(data instanceof ArrayBuffer)) return typeof data === "string" ? data : undefined;
  try {
    // What is no UTF-8 would be, with replaced characters, another text than the one that was sent.
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return undefined;
  }
}

function canTerminate(socket: WebSocketLike): socket is WebSocketLike & { terminate(): void } {
  return "terminate" in socket && typeof socket.terminate === "function";
}
