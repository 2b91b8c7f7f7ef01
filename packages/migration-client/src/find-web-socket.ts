import type { WebSocketConstructor } from "./web-socket.js";

/**
 * The constructor to connect with: the global one where there is one, else that of `ws`, which is loaded only then
 * (Node 20 has no global one, and a browser cannot load `ws`).
 */
export function findWebSocket(): WebSocketConstructor | Promise<WebSocketConstructor> {
  const found: unknown = "WebSocket" in globalThis ? globalThis.WebSocket : undefined;
  return isConstructor(found) ? found : import("ws").then((ws) => ws.WebSocket);
}

function isConstructor(value: unknown): value is WebSocketConstructor {
  return typeof value === "function";
}
