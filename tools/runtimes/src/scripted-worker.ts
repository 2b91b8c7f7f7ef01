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
import { once } from "node:events";
import { WebSocketServer, type WebSocket } from "ws";
import { eventually } from "./eventually.js";

export type JobFrame = JobToWorkerFrame | JobToWorkerFrameV2;
export type Acknowledgement = Omit<HelloAckFrame, "type">;

/** One connection of a job, seen from the worker. */
export interface JobConnection {
  readonly openedAt: number;
  /** All that has arrived, hello and signs of life included. */
  readonly frames: readonly JobFrame[];
  /** What has arrived of a migration. */
  readonly reports: readonly JobFrame[];
  /** The code with which it ended. */
  readonly end: number | undefined;
  send(frame: WorkerToJobFrame | WorkerToJobFrameV2): void;
  /** Sends what may be no frame at all. */
  sendRaw(data: string | Uint8Array): void;
  close(code: number, reason?: string): void;
  /** Cuts the TCP connection without a closing handshake. */
  cut(): void;
  /** Stops reading, as a machine does that has lost its network. */
  freeze(): void;
  /** The nth frame of this type, from 0, as soon as there is one. */
  frame<T extends JobFrame["type"]>(type: T, nth?: number): Promise<Extract<JobFrame, { type: T }>>;
  /** Resolves when the job has read everything that was sent. Version 2 only. */
  isRead(): Promise<void>;
}

export interface ScriptedWorker {
  readonly url: string;
  readonly port: number;
  readonly connections: readonly JobConnection[];
  /** Frames that no worker would have taken. */
  readonly violations: readonly string[];
  connection(nth: number): Promise<JobConnection>;
  stop(): Promise<void>;
}

/** A worker on loopback that does what a case says. `acknowledge` answers the hello of the nth connection. */
export async function scriptedWorker(
  acknowledge: (nth: number, token: string) => Acknowledgement | undefined,
  port = 0,
): Promise<ScriptedWorker> {
  const connections: JobConnection[] = [];
  const violations: string[] = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port });
  server.on("connection", (socket) => {
    const nth = connections.length;
    connections.push(jobConnection(socket, (token) => acknowledge(nth, token), violations));
  });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `ws://127.0.0.1:${address.port}/jobs`,
    port: address.port,
    connections,
    violations,
    connection: (nth) => eventually(`connection ${nth} of the job`, () => connections[nth]),
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function jobConnection(
  socket: WebSocket,
  acknowledge: (token: string) => Acknowledgement | undefined,
  violations: string[],
): JobConnection {
  let parse: (text: string) => ParseResult<JobFrame> = parseJobToWorkerFrame;
  let end: JobConnection["end"];
  const frames: JobFrame[] = [];
  const ofType = <T extends JobFrame["type"]>(type: T): Extract<JobFrame, { type: T }>[] =>
    frames.filter((frame): frame is Extract<JobFrame, { type: T }> => frame.type === type);
  const connection: JobConnection = {
    openedAt: performance.now(),
    frames,
    get reports() {
      return frames.filter(({ type }) => type !== "hello" && type !== "ping" && type !== "pong");
    },
    get end() {
      return end;
    },
    send: (frame) => {
      if (frame.type === "hello-ack" && frame.protocol === 2) parse = parseJobToWorkerFrameV2;
      socket.send(JSON.stringify(frame));
    },
    sendRaw: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    freeze: () => socket.pause(),
    frame: (type, nth = 0) => eventually(`${type} ${nth} of the job`, () => ofType(type)[nth]),
    isRead: async () => {
      const nth = ofType("pong").length;
      connection.send({ type: "ping" });
      await connection.frame("pong", nth);
    },
  };
  socket.on("error", () => {});
  socket.on("close", (code) => {
    end = code;
  });
  socket.on("message", (data) => {
    const result = parse(String(data));
    if (!result.ok) {
      violations.push(result.reason);
      return;
    }
    frames.push(result.message);
    if (result.message.type !== "hello") return;
    const acknowledgement = acknowledge(result.message.token);
    if (acknowledgement) connection.send({ type: "hello-ack", ...acknowledgement });
  });
  return connection;
}
