import {
  parseJobToWorkerFrame,
  parseJobToWorkerFrameV2,
  type HelloAckFrame,
  type JobToWorkerFrame,
  type JobToWorkerFrameV2,
  type ParseResult,
  type WorkerToJobFrame,
  type WorkerToJobFrameV2,
} from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";

type AnyFrame = JobToWorkerFrame | JobToWorkerFrameV2;

/** One connection of a job, seen from the worker. */
export interface JobConnection {
  readonly frames: AnyFrame[];
  /** Code and reason with which the connection ended. */
  readonly end: { code: number; reason: string } | undefined;
  send(frame: WorkerToJobFrame | WorkerToJobFrameV2): void;
  close(code: number, reason?: string): void;
  /** Cuts the TCP connection without a closing handshake. */
  cut(): void;
  /** Stops reading, as a machine does that has lost its network: nothing more is seen of this connection or answered. */
  freeze(): void;
  /** Resolves with the first frame of this type, as soon as there is one. */
  frame<T extends AnyFrame["type"]>(type: T): Promise<Extract<AnyFrame, { type: T }>>;
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
  readonly acknowledge?: (token: string, nth: number) => Omit<HelloAckFrame, "type">;
}

/** A worker that does what a test says, on a real socket on loopback; it stops when the test is finished. */
export async function scriptedWorker(options: ScriptedWorkerOptions = {}): Promise<ScriptedWorker> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: options.port ?? 0 });
  const connections: JobConnection[] = [];
  server.on("connection", (socket) => connections.push(jobConnection(socket, connections.length, options.acknowledge)));
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

function jobConnection(
  socket: WebSocket,
  nth: number,
  acknowledge: ScriptedWorkerOptions["acknowledge"],
): JobConnection {
  let parse: (text: string) => ParseResult<AnyFrame> = parseJobToWorkerFrame;
  const frames: AnyFrame[] = [];
  let end: JobConnection["end"];
  const connection: JobConnection = {
    frames,
    get end() {
      return end;
    },
    send: (frame) => {
      if (frame.type === "hello-ack" && frame.protocol === 2) parse = parseJobToWorkerFrameV2;
      socket.send(JSON.stringify(frame));
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    freeze: () => socket.pause(),
    frame: (type) => present(() => frames.find((frame) => isOf(frame, type))),
  };
  socket.on("message", (data) => {
    const result = parse(String(data));
    if (!result.ok) throw new Error(result.reason);
    frames.push(result.message);
    if (result.message.type === "hello" && acknowledge) {
      connection.send({ type: "hello-ack", ...acknowledge(result.message.token, nth) });
    }
  });
  socket.on("close", (code, reason) => {
    end = { code, reason: String(reason) };
  });
  return connection;
}

function isOf<T extends AnyFrame["type"]>(frame: AnyFrame, type: T): frame is Extract<AnyFrame, { type: T }> {
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
