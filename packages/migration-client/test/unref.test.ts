import { eventually } from "@changeover/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scriptedWorker } from "./scripted-worker.js";

const PROGRAM = fileURLToPath(new URL("unref-job.mjs", import.meta.url));

interface Job {
  readonly output: () => string;
  /** The exit code; undefined for as long as the process runs. */
  readonly code: () => number | null | undefined;
  /** From now on nothing but its client keeps the process alive. */
  finishWork(): void;
}

function start(url: string, mode: "unref" | "keep alive"): Job {
  const env = { PATH: process.env["PATH"], NORSK_WORKER_WS_URL: url, NORSK_WORKER_TOKEN: "s3cret" };
  const child = spawn(process.execPath, [PROGRAM, mode], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  let code: number | null | undefined;
  child.once("close", (exit) => (code = exit));
  return { output: () => output, code: () => code, finishWork: () => void child.stdin.end() };
}

async function silentServer(): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `ws://127.0.0.1:${address.port}/`, sockets };
}

test("with unref a process with nothing else to do ends while its connection is being made", async () => {
  const { url, sockets } = await silentServer();
  const job = start(url, "unref");
  await eventually(() => expect(sockets).toHaveLength(1));
  job.finishWork();
  // After 10 s it would give up that connection, and end for that reason.
  await eventually(() => expect(job.code()).toBe(0), 8_000);
});

test("with unref it ends between two attempts to reach a worker that is not there", async () => {
  const worker = await scriptedWorker();
  await worker.stop();
  const job = start(worker.url, "unref");
  await eventually(() => expect(job.output()).toMatch(/connecting again/));
  job.finishWork();
  await eventually(() => expect(job.code()).toBe(0));
});

test("with unref it ends beside an open connection", async () => {
  const worker = await scriptedWorker({ acknowledge: () => ({ protocol: 2, epoch: 1, pingIntervalMs: 10_000 }) });
  const job = start(worker.url, "unref");
  await eventually(() => expect(job.output()).toMatch(/connected as source/));
  job.finishWork();
  await eventually(() => expect(job.code()).toBe(0));
});

test("without unref it lives, for a job that waits for its worker must not end", async () => {
  const worker = await scriptedWorker({ acknowledge: () => ({}) });
  const { url, sockets } = await silentServer();
  const [connected, connecting] = [start(worker.url, "keep alive"), start(url, "keep alive")];
  await eventually(() => expect(connected.output()).toMatch(/connected as source/));
  await eventually(() => expect(sockets).toHaveLength(1));
  connected.finishWork();
  connecting.finishWork();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([connected.code(), connecting.code()]).toEqual([undefined, undefined]);
});
