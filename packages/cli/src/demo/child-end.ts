import type { ChildProcess } from "node:child_process";

/** Resolves when a child process is gone, with how it ended and the last that it said on its standard error. */
export function whenGone(child: ChildProcess): Promise<{ reason: string }> {
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      const how = signal ? `killed by ${signal}` : `exited with code ${code}`;
      resolve({ reason: errors === "" ? how : `${how}: ${errors.trim()}` });
    });
  });
}
