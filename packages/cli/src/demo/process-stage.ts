import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { whenGone } from "./child-end.js";
import type { Instance, Stage } from "./stage.js";

export interface ProcessInstance extends Instance {
  readonly pid: number;
}

export interface ProcessStage extends Stage {
  start(env: Record<string, string>): Promise<ProcessInstance>;
}

/** Runs jobs as child processes; `job` is a file of the built package, `stopTimeoutMs` how long it may take to end. */
export function createProcessStage(job: URL, { stopTimeoutMs = 2_000 } = {}): ProcessStage {
  const running = new Set<ProcessInstance>();
  return {
    runtime: "process",
    description: `child processes of Node ${process.versions.node}`,
    listenHost: "127.0.0.1",
    reachHost: "127.0.0.1",
    start: async (env) => {
      const instance = await startProcess(job, env, stopTimeoutMs);
      running.add(instance);
      void instance.gone.then(() => running.delete(instance));
      return instance;
    },
    close: async () => {
      await Promise.allSettled([...running].map((instance) => instance.kill()));
    },
  };
}

async function startProcess(job: URL, env: Record<string, string>, stopTimeoutMs: number): Promise<ProcessInstance> {
  // Ends the job when this process, which holds the other end of its standard input, is gone.
  const endWithParent = new URL("./end-with-parent.js", job);
  const child = spawn(process.execPath, ["--import", endWithParent.href, fileURLToPath(job)], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "ignore", "pipe"],
  });
  // A job that has ended does not read any more.
  child.stdin.on("error", () => {});
  const gone = whenGone(child);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  return {
    gone,
    pid: child.pid ?? 0,
    kill: () => end("SIGKILL"),
    remove: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await end("SIGTERM");
      clearTimeout(timer);
    },
  };
}
