import { once } from "node:events";
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
  const server = new WebSocketServer({ host, port, maxPayload: LIMITS.maxFrameBytes });
  server.on("connection", (socket) => {
    const connection = serveConnection(socket, owner, { clock, helloTimeoutMs: LIMITS.helloTimeoutMs });
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
  });
  try {
    await once(server, "listening");
  } catch (error) {
    const message = `the job socket could not listen on ${host}:${port}: ${messageOf(error)}`;
    throw new MigrationWorkerError("listen-failed", message, { cause: error });
  }
  // A listener that went wrong later (no file descriptors left) must not end the process: it can accept again.
  server.on("error", () => {});
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.close(CLOSE_CODE.workerRestarting, "the worker restarts");
      await closed;
    },
  };
}
