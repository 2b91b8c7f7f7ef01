import { execFileSync } from "node:child_process";

/** Processes whose command line has this text, without their own `ps`. */
export function processesWith(text: string): string[] {
  const lines = execFileSync("ps", ["-e", "-o", "pid=,stat=,args="], { encoding: "utf8" }).split("\n");
  // A zombie has ended: only its parent has not asked yet.
  return lines.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}
