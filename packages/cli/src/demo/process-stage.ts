import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Instance, Stage } from "./stage.js";

/** How long a job may take to end after SIGTERM. */
const stopTimeoutMs = 2_000;

/** Runs jobs as child processes; `job` is a file of the built package. */
export function createProcessStage(job: URL): Stage {
  const running = new Set<Instance>();
  return {
    runtime: "process",
    description: `child processes of Node ${process.versions.node}`,
    listenHost: "127.0.0.1",
    reachHost: "127.0.0.1",
    start: async (env) => {
      const instance = await startProcess(job, env);
      running.add(instance);
      void instance.gone.then(() => running.delete(instance));
      return instance;
    },
    close: async () => {
      await Promise.allSettled([...running].map((instance) => instance.kill()));
    },
  };
}

async function startProcess(job: URL, env: Record<string, string>): Promise<Instance> {
  // Ends the job when this process, which holds the other end of its standard input, is gone.
  const endWithParent = new URL("./end-with-parent.js", job);
  const child = spawn(process.execPath, ["--import", endWithParent.href, fileURLToPath(job)], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "ignore", "pipe"],
  });
  // A job that has ended does not read any more.
  child.stdin.on("error", () => {});
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  const gone = new Promise<{ reason: string }>((resolve) => {
    child.once("close", (code, signal) => {
      const how = signal ? `killed by ${signal}` : `exited with code ${code}`;
      resolve({ reason: errors === "" ? how : `${how}: ${errors.trim()}` });
    });
  });
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
    kill: () => end("SIGKILL"),
    remove: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await end("SIGTERM");
      clearTimeout(timer);
    },
  };
}
