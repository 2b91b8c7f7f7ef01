import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { CLOSE_CODE, LIMITS } from "@changeover/migration-protocol";
import { WebSocketServer } from "ws";
import { Admission } from "./admission.js";
import type { Clock } from "./clock.js";
import { messageOf, MigrationWorkerError } from "./errors.js";
import { serveConnection, type ConnectionOwner, type JobConnection } from "./job-connection.js";
import { WsServerSocket } from "./ws-server-socket.js";

/** A worker's jobs come back all at once after it has restarted; a thousand are greeted in less than a second. */
const admissionLimits = { overall: 4_096, perAddress: 1_024 };

/** What a connection may take to become a WebSocket, in milliseconds: as long as it may then take for its hello. */
const { helloTimeoutMs } = LIMITS;
const impatience = {
  headersTimeout: helloTimeoutMs,
  requestTimeout: helloTimeoutMs,
  handshakeTimeout: helloTimeoutMs,
  connectionsCheckingInterval: 500,
};

export interface JobSocketServerOptions {
  host: string;
  port: number;
  tls: ServerOptions | undefined;
  allowedOrigins: readonly string[];
  maxFrameBytes: number;
  clock: Clock;
  /** From 0 to, not including, 1. */
  random: () => number;
}

/** Accepts job sockets. */
export interface JobSocketServer {
  readonly port: number;
  /** Tells every job that the worker restarts, and stops listening. */
  close(): Promise<void>;
}

/** @throws MigrationWorkerError `listen-failed` */
export async function listen<Instance>(
  { host, port, tls, allowedOrigins, maxFrameBytes, clock, random }: JobSocketServerOptions,
  owner: ConnectionOwner<Instance>,
): Promise<JobSocketServer> {
  const connections = new Map<JobConnection, Promise<unknown>>();
  const admission = new Admission(admissionLimits);
  const server = tls ? createHttpsServer({ ...tls, ...impatience }, explain) : createHttpServer(impatience, explain);
  // Below TLS, where `closeAllConnections` sees them only after their handshake.
  const peers = new Set<Socket>();
  server.on("connection", (peer: Socket) => {
    peers.add(peer);
    peer.on("close", () => peers.delete(peer));
  });
  const sockets = new WebSocketServer({
    server,
    maxPayload: maxFrameBytes,
    verifyClient: ({ origin, req }: { origin?: string; req: IncomingMessage }, answer: Answer) => {
      const isAllowed = origin === undefined || allowedOrigins.includes(origin);
      if (!isAllowed) owner.rejected(403, `a page of ${origin} is not allowed`, req.socket.remoteAddress ?? "");
      answer(isAllowed, 403, "This origin is not in allowedOrigins");
    },
  });
  sockets.on("connection", (socket, { socket: tcp }: IncomingMessage) => {
    const address = tcp.remoteAddress ?? "";
    const leave = admission.enter(address);
    const isAdmitted = typeof leave === "function";
    const connection = serveConnection(new WsServerSocket(socket, tcp), owner, {
      clock,
      address,
      maxFrameBytes,
      random,
      onIdentified: isAdmitted ? leave : () => {},
    });
    // Not `once` of node:events: that rejects at an error of the socket, which a stranger can bring about.
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    connections.set(connection, ended);
    socket.once("close", () => connections.delete(connection));
    if (!isAdmitted) connection.close(CLOSE_CODE.tooMany, `${leave}: connections without hello`);
  });
  // The server's errors arrive here too, and are of no use twice; without a listener they would end the process.
  sockets.on("error", () => {});
  await start(server, host, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const connection of connections.keys()) {
        connection.close(CLOSE_CODE.workerRestarting, "the worker restarts");
      }
      // Whoever has connected without becoming a WebSocket would be waited for for ever.
      server.closeAllConnections();
      await Promise.all(connections.values());
      for (const peer of peers) peer.destroy();
      await closed;
    },
  };
}

type Answer = (isAllowed: boolean, code: number, message: string) => void;

const explain: RequestListener = (_request, response) => {
  response.writeHead(426, { Connection: "close" }).end("This is a job socket: connect with a WebSocket.\n");
};

async function start(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const message = `the job socket could not listen on ${host}:${port}: ${messageOf(error)}`;
    throw new MigrationWorkerError("listen-failed", message, { cause: error });
  }
}
