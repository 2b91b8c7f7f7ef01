import type { CheckedOptions } from "./migration-client-options.js";
import type { WebSocketConstructor, WebSocketLike } from "./web-socket.js";

/** Makes a socket that connects to a URL; a promise of one where something else has to happen first. */
export type OpenSocket = (url: string) => WebSocketLike | Promise<WebSocketLike>;

/** How a client that was given these options makes its sockets. */
export function socketOpener(options: Pick<CheckedOptions, "WebSocket" | "createSocket" | "unref">): OpenSocket {
  const { WebSocket, createSocket, unref } = options;
  if (createSocket) return createSocket;
  if (WebSocket) return (url) => new WebSocket(url);
  if (unref && isNode()) return openUnreferenced;
  return (url) => {
    const found: unknown = "WebSocket" in globalThis ? globalThis.WebSocket : undefined;
    // Loaded only where it is needed: Node 20 has no global one, and a browser cannot load `ws`.
    return isConstructor(found) ? new found(url) : import("ws").then((ws) => new ws.WebSocket(url));
  };
}

/** A socket that does not keep the process alive, not even while it connects: Node's own has nothing of the kind. */
async function openUnreferenced(url: string): Promise<WebSocketLike> {
  const ws = await import("ws");
  return new ws.WebSocket(url, {
    finishRequest: (request) => {
      request.on("socket", (socket) => socket.unref());
      request.end();
    },
  });
}

function isNode(): boolean {
  // Bun and Deno say that they are Node.
  return globalThis.process?.versions?.node !== undefined && !("Bun" in globalThis) && !("Deno" in globalThis);
}

function isConstructor(value: unknown): value is WebSocketConstructor {
  return typeof value === "function";
}
