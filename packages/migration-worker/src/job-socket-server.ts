import { once } from "node:events";
import { createServer } from "node:http";
import { CLOSE_CODE, LIMITS } from "@changeover/migration-protocol";
import { WebSocketServer } from "ws";
import type { Clock } from "./clock.js";
import { messageOf, MigrationWorkerError } from "./errors.js";
import { serveConnection, type ConnectionOwner, type JobConnection } from "./job-connection.js";

export interface JobSocketServerOptions {
  host: string;
  port: number;
  clock: Clock;
}

/** Accepts job sockets. */
export interface JobSocketServer {
  readonly port: number;
  /** Tells every job that the worker restarts, and stops listening. */
  close(): Promise<void>;
}

/** @throws MigrationWorkerError `listen-failed` */
export async function listen<Instance>(
  { host, port, clock }: JobSocketServerOptions,
  owner: ConnectionOwner<Instance>,
): Promise<JobSocketServer> {
  const connections = new Set<JobConnection>();
  const http = createServer((_request, response) => {
    response.writeHead(426, { Connection: "close" }).end("This is a job socket: connect with a WebSocket.\n");
  });
  const sockets = new WebSocketServer({ server: http, maxPayload: LIMITS.maxFrameBytes });
  sockets.on("connection", (socket, { socket: { remoteAddress = "" } }) => {
    const settings = { clock, helloTimeoutMs: LIMITS.helloTimeoutMs, address: remoteAddress };
    const connection = serveConnection(socket, owner, settings);
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
  });
  // The server's errors arrive here too, and are of no use twice; without a listener they would end the process.
  sockets.on("error", () => {});
  http.listen(port, host);
  try {
    await once(http, "listening");
  } catch (error) {
    const message = `the job socket could not listen on ${host}:${port}: ${messageOf(error)}`;
    throw new MigrationWorkerError("listen-failed", message, { cause: error });
  }
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      const closed = once(http, "close");
      http.close();
      for (const connection of connections) connection.close(CLOSE_CODE.workerRestarting, "the worker restarts");
      // Whoever has connected without becoming a WebSocket would be waited for for ever.
      http.closeAllConnections();
      await closed;
    },
  };
}
