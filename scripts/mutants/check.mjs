// Changes one line of the shipped rules at a time, and fails unless some check notices each change.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mutants } from "./mutants.mjs";

const root = new URL("../../", import.meta.url);

function run({ name, by: [packageName, ...files] }) {
  const args = [
    "vitest",
    "run",
    "-c",
    "../../scripts/mutants/vitest.config.mjs",
    "--root",
    ".",
    "--reporter=dot",
    ...files,
  ];
  const child = spawn("npx", args, {
    cwd: new URL(`packages/${packageName}/`, root),
    env: { ...process.env, CHANGEOVER_MUTANT: name, NO_COLOR: "1" },
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

const startedAt = performance.now();
const todo = [...mutants];
let killed = 0;

async function work() {
  for (let mutant = todo.shift(); mutant; mutant = todo.shift()) {
    const source = readFileSync(new URL(`packages/${mutant.file}`, root), "utf8");
    if (source.split(mutant.line).length !== 2) {
      console.error(`✖ ${mutant.name}: its line is not in ${mutant.file} exactly once: bring the mutant up to date`);
      continue;
    }
    const { code, output } = await run(mutant);
    // A change that breaks the load of a file shows nothing about the checks.
    const wasNoticed = code !== 0 && /Tests .*\d+ failed/.test(output);
    if (wasNoticed) killed++;
    console.log(`${wasNoticed ? "✔" : "✖"} ${mutant.name}`);
    if (!wasNoticed) console.error(code === 0 ? `  no check in ${mutant.by.join(" ")} notices it` : output);
  }
}

await Promise.all([work(), work()]);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(`mutants: ${killed} of ${mutants.length} killed in ${seconds} s`);
process.exitCode = killed === mutants.length ? 0 : 1;
