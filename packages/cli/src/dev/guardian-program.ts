import { createInterface } from "node:readline";
import { endGroup } from "./process-group.js";

// Outlives the command for a moment: whatever ends it, also SIGKILL, closes this pipe, and what it started must not stay.
const graceMs = 1_000;
const groups = new Set<number>();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const pid = Number(line.slice(1));
    if (line.startsWith("+")) groups.add(pid);
    else groups.delete(pid);
  })
  .on("close", () => {
    for (const pid of groups) endGroup(pid, "SIGTERM");
    if (groups.size > 0) setTimeout(() => groups.forEach((pid) => endGroup(pid, "SIGKILL")), graceMs);
  });
