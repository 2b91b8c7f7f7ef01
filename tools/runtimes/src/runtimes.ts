import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { binary } from "./binaries.js";
import { chromium } from "./chromium.js";
import { processRuntime, type ProcessRuntimeOptions } from "./process-runtime.js";
import type { Runtime } from "./runtime.js";

/** A runtime that the client promises to run on, and how to get at it: undefined where it is not to be had. */
export interface Candidate {
  readonly name: string;
  start(): Promise<Runtime | undefined>;
}

// What a job needs, and nothing more: a permission that is missing would be asked for, and denied.
const DENO_ARGS = [
  "run",
  "--no-prompt",
  "--no-lock",
  "--node-modules-dir=manual",
  "--allow-env",
  "--allow-net=127.0.0.1",
];

const SCRIPT = fileURLToPath(new URL("../../../scripts/chromium.sh", import.meta.url));

export const CANDIDATES: readonly Candidate[] = [
  // The only one without a global WebSocket: it loads `ws`.
  inProcesses("node-20", { name: "Node 20", hasWebSocket: false }),
  inProcesses("node-22", { name: "Node 22" }),
  inProcesses("node-24", { name: "Node 24" }),
  inProcesses("node-26", { name: "Node 26" }),
  inProcesses("bun", { name: "Bun" }),
  inProcesses("deno", { name: "Deno", args: DENO_ARGS }),
  {
    name: "Chromium",
    start: async () => {
      // Not synchronously: an installation takes a while, and the cases of another runtime go on meanwhile.
      const child = spawn("bash", [SCRIPT], { stdio: ["ignore", "pipe", "inherit"] });
      const path = await text(child.stdout);
      return path === "" ? undefined : chromium(path.trim());
    },
  },
];

function inProcesses(of: Parameters<typeof binary>[0], options: Omit<ProcessRuntimeOptions, "binary">): Candidate {
  return {
    name: options.name,
    start: async () => {
      const path = binary(of);
      return path === undefined ? undefined : processRuntime({ ...options, binary: path });
    },
  };
}
