import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Placement } from "@changeover/migration-worker";
import type { Guardian } from "./guardian.js";
import { endGroup, hasGroups } from "./process-group.js";

/** What starts the job: a program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export interface JobProcess extends Placement {
  readonly pid: number;
  /** The end of what it has written. */
  readonly lastWords: string;
}

export interface JobProcessOptions {
  command: Command;
  env: NodeJS.ProcessEnv;
  guardian: Guardian;
  onLine(line: string): void;
}

/** How long a job may take to end after SIGTERM. */
const stopTimeoutMs = 2_000;
/** How long output may come after the end. */
const lastOutputMs = 300;
const maxLastWords = 4_000;

/** Starts a command in a process group of its own, so that it ends with all that it has started. */
export async function startJobProcess({ command, env, guardian, onLine }: JobProcessOptions): Promise<JobProcess> {
  const [program, ...args] = command;
  // Its input stays open and empty: a program that ends with its input ends with this process.
  const child = spawn(program, args, { env, detached: hasGroups, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {});
  let lastWords = "";
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lastWords = `${lastWords}\n${line}`.slice(-maxLastWords);
      onLine(line);
    });
  }
  const gone = whenGone(child);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(new Error(describeFailure(program, error))));
  });
  const pid = child.pid ?? 0;
  guardian.watch(pid);
  void gone.then(() => guardian.forget(pid));
  return {
    pid,
    gone,
    get lastWords() {
      return lastWords;
    },
    remove: async () => {
      if (isOver(child)) return void (await gone);
      endGroup(pid, "SIGTERM");
      const timer = setTimeout(() => endGroup(pid, "SIGKILL"), stopTimeoutMs);
      await gone;
      return clearTimeout(timer);
    },
  };
}

function whenGone(child: ChildProcess): Promise<{ reason: string }> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      // What it leaves behind would be a second instance that nobody knows of.
      endGroup(child.pid ?? 0, "SIGKILL");
      const end = (): void => resolve({ reason: signal ? `killed by ${signal}` : `exited with code ${code}` });
      child.once("close", end);
      setTimeout(end, lastOutputMs).unref();
    });
  });
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function describeFailure(program: string, error: NodeJS.ErrnoException): string {
  if (error.code === "EACCES") return `${program} may not be run: make it executable, or name its interpreter first`;
  if (error.code !== "ENOENT") return `${program} could not be started: ${error.message}`;
  if (/\s/.test(program)) return `command not found: ${program}. Leave the quotes out, or write -- sh -c "${program}"`;
  return `command not found: ${program}. Is it spelt right, and on the PATH?`;
}
