import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command as a user does. */
export function runCli(args: string[], env: NodeJS.ProcessEnv = {}): { child: ChildProcess; done: Promise<CliResult> } {
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, ...env } });
  const result: CliResult = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
  const done = new Promise<CliResult>((resolve) => child.on("close", (code) => resolve({ ...result, code })));
  return { child, done };
}

export const expectedReport = (runtime: "process" | "docker"): object => ({
  runtime,
  handovers: 10,
  refused: 1,
  recovered: 3,
  lost: 0,
  doubled: 0,
});

export const reportKeys = [
  "runtime",
  "handovers",
  "refused",
  "recovered",
  "lost",
  "doubled",
  "lostInCrash",
  "silenceMs",
  "restart",
  "phasesMs",
];
