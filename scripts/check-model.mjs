// Searches client and worker together for a broken promise, with one fault more than the tests allow.
import { spawn } from "node:child_process";

// One setting takes about as long as all others together, so each of the two gets a processor of its own. That every
// entry of the transition table is used is seen in `npm test`, in what is part of this.
const promise = "keep every promise: ";
const largest = "faults in one handover$";
const halves = [`${promise}${largest}`, `${promise}(?!${largest})`];

async function search(half) {
  const args = ["vitest", "run", "-c", "../../vitest.config.ts", "--root", ".", "test/model.test.ts", "-t", half];
  const child = spawn("npx", args, {
    cwd: new URL("../packages/migration-worker", import.meta.url),
    env: { ...process.env, CHANGEOVER_MODEL: "large" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  process.stdout.write(output);
  return code === 0 && /Tests .*\d+ passed/.test(output);
}

const areKept = await Promise.all(halves.map(search));
process.exitCode = areKept.every(Boolean) ? 0 : 1;
