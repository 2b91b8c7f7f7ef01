import { once } from "node:events";
import { createServer } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

/** Stands between one instance and the worker, changes nothing and sees everything. */
export interface Relay {
  /** Where the instance connects instead. */
  readonly url: string;
  /** How many connections are open. */
  readonly connections: number;
  /** Cuts the connections there are, without a farewell. */
  cut(): void;
  close(): void;
}

/** Hears each text frame before it is passed on. */
export type FrameListener = (from: "job" | "worker", text: string) => void;

export async function startRelay(workerUrl: string, onFrame: FrameListener): Promise<Relay> {
  const joined = new Set<WebSocket>();
  const upgrader = new WebSocketServer({ noServer: true });
  const server = createServer((_request, response) => response.writeHead(426).end("this is a WebSocket server\n"));

  server.on("upgrade", (request, socket, head) => {
    const { origin } = request.headers;
    // First the worker: whom it does not take has never been connected.
    const far = new WebSocket(workerUrl, { perMessageDeflate: false, ...(origin === undefined ? {} : { origin }) });
    const giveUp = (): void => far.terminate();
    socket.on("error", () => {});
    socket.once("close", giveUp);
    far.on("error", () => socket.destroy());
    far.once("unexpected-response", (_request, { statusCode }) => {
      socket.end(`HTTP/1.1 ${statusCode} Refused by the worker\r\nConnection: close\r\n\r\n`);
    });
    far.once("open", () => {
      upgrader.handleUpgrade(request, socket, head, (near) => {
        socket.off("close", giveUp);
        joined.add(near).add(far);
        pass(near, far, (text) => onFrame("job", text));
        pass(far, near, (text) => onFrame("worker", text));
      });
    });
  });

  function pass(from: WebSocket, to: WebSocket, heard: (text: string) => void): void {
    from.on("error", () => {});
    from.on("message", (data, isBinary) => {
      if (!isBinary) heard(String(data));
      to.send(data, { binary: isBinary }, () => {});
    });
    from.on("close", (code, reason) => {
      joined.delete(from);
      closeLike(to, code, reason);
    });
  }

  const cut = (): void => {
    for (const socket of joined) socket.terminate();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${port}`,
    get connections() {
      return joined.size / 2;
    },
    cut,
    close: () => {
      cut();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Ends a connection as the other one ended: 1005 stands for a close without a code, 1006 for none at all. */
function closeLike(socket: WebSocket, code: number, reason: Buffer): void {
  if (code === 1006 || code === 1015) socket.terminate();
  else if (code === 1005) socket.close();
  else socket.close(code, reason);
}
