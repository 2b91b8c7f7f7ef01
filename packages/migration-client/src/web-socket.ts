/** The part of a WHATWG event that the client reads; which fields are there depends on the event. */
export interface WebSocketEventLike {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly error?: unknown;
}

/** The part of a WHATWG `WebSocket` that the client uses. */
export interface WebSocketLike {
  binaryType: string;
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: WebSocketEventLike) => void): void;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

/** A constructor of the WHATWG shape: the global `WebSocket` of a browser, Bun, Deno or Node 22, or that of `ws`. */
export type WebSocketConstructor = new (url: string) => WebSocketLike;
