import { execFile, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { EventReader } from "./event-reader.js";
import type { Instance, Runtime } from "./runtime.js";

const JOB = fileURLToPath(new URL("job.js", import.meta.url));
const CONFORMANCE_JOB = fileURLToPath(new URL("conformance-job.js", import.meta.url));

/** Nothing more of the environment of this process, which may hold options for Node. */
export const PLAIN_ENV = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: tmpdir(),
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
};

export interface ProcessRuntimeOptions {
  readonly name: string;
  readonly binary: string;
  readonly args?: readonly string[];
  readonly hasWebSocket?: boolean;
}

/** A runtime whose jobs are processes. */
export async function processRuntime(options: ProcessRuntimeOptions): Promise<Runtime> {
  const { name, binary, args = [], hasWebSocket = true } = options;
  const { stdout: printed } = await promisify(execFile)(binary, ["--version"]);
  return {
    name,
    version: /\d+(\.\d+)+/.exec(printed)?.[0] ?? printed.trim(),
    hasWebSocket,
    origin: undefined,
    conformanceCommand: [binary, ...args, CONFORMANCE_JOB],
    start: async (env) => startProcess(binary, [...args, JOB], env),
    stop: async () => {},
  };
}

function startProcess(binary: string, args: readonly string[], env: Record<string, string>): Instance {
  const reader = new EventReader();
  const child = spawn(binary, args, { env: { ...PLAIN_ENV, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.setEncoding("utf8").on("data", (text: string) => reader.text(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => reader.complaint(text));
  let isRemoved = false;
  const gone = new Promise<{ reason: string }>((resolve) => {
    child.once("error", ({ message }) => {
      reader.complaint(message);
      resolve({ reason: message });
    });
    // Not "exit": by "close" everything that it printed has been read.
    child.once("close", (code, signal) => {
      const reason = signal ?? `exited with code ${code}`;
      if (code !== 0 && !isRemoved) reader.complaint(reason);
      resolve({ reason });
    });
  });
  return {
    events: reader.events,
    complaints: reader.complaints,
    gone,
    remove: async () => {
      isRemoved = true;
      child.kill("SIGKILL");
      await gone;
    },
  };
}
