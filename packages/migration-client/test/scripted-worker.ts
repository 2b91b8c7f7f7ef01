import { parseJobToWorkerFrame, type JobToWorkerFrame, type WorkerToJobFrame } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";

/** One connection of a job, seen from the worker. */
export interface JobConnection {
  readonly frames: JobToWorkerFrame[];
  /** Code and reason with which the connection ended. */
  readonly end: { code: number; reason: string } | undefined;
  send(frame: WorkerToJobFrame): void;
  close(code: number, reason?: string): void;
  /** Cuts the TCP connection without a closing handshake. */
  cut(): void;
  /** Resolves with the first frame of this type, as soon as there is one. */
  frame<T extends JobToWorkerFrame["type"]>(type: T): Promise<Extract<JobToWorkerFrame, { type: T }>>;
}

export interface ScriptedWorker {
  readonly url: string;
  readonly port: number;
  readonly connections: JobConnection[];
  /** Resolves with the nth connection, from 0, as soon as there is one. */
  connection(n: number): Promise<JobConnection>;
  /** Stops listening and cuts all connections. */
  stop(): Promise<void>;
}

export interface ScriptedWorkerOptions {
  readonly port?: number;
  /** Acknowledges a hello: a migration makes a target. Without it the test does that itself. */
  readonly acknowledge?: (token: string) => { migration?: { id: string } };
}

/** A worker that does what a test says, on a real socket on loopback; it stops when the test is finished. */
export async function scriptedWorker(options: ScriptedWorkerOptions = {}): Promise<ScriptedWorker> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: options.port ?? 0 });
  const connections: JobConnection[] = [];
  server.on("connection", (socket) => connections.push(jobConnection(socket, options.acknowledge)));
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const worker: ScriptedWorker = {
    url: `ws://127.0.0.1:${address.port}/jobs`,
    port: address.port,
    connections,
    connection: (n) => present(() => connections[n]),
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  onTestFinished(() => worker.stop());
  return worker;
}

function jobConnection(socket: WebSocket, acknowledge: ScriptedWorkerOptions["acknowledge"]): JobConnection {
  const frames: JobToWorkerFrame[] = [];
  let end: JobConnection["end"];
  const connection: JobConnection = {
    frames,
    get end() {
      return end;
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    frame: (type) => present(() => frames.find((frame) => isOf(frame, type))),
  };
  socket.on("message", (data) => {
    const result = parseJobToWorkerFrame(String(data));
    if (!result.ok) throw new Error(result.reason);
    frames.push(result.message);
    if (result.message.type === "hello" && acknowledge) {
      connection.send({ type: "hello-ack", ...acknowledge(result.message.token) });
    }
  });
  socket.on("close", (code, reason) => {
    end = { code, reason: String(reason) };
  });
  return connection;
}

function isOf<T extends JobToWorkerFrame["type"]>(
  frame: JobToWorkerFrame,
  type: T,
): frame is Extract<JobToWorkerFrame, { type: T }> {
  return frame.type === type;
}

/** The value of `find` as soon as it is not undefined. */
function present<T>(find: () => T | undefined): Promise<T> {
  return eventually(() => {
    const found = find();
    if (found === undefined) throw new Error("it did not come");
    return found;
  });
}
