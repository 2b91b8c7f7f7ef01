import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A network between jobs and a worker whose connections a test can cut. */
export interface UnreliableProxy {
  readonly port: number;
  /** Cuts every connection: what is on its way is lost. */
  cut(): void;
  close(): Promise<void>;
}

export async function startUnreliableProxy(targetPort: number): Promise<UnreliableProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
