// Everything that must hold, in the order in which it is fastest to know: lint, format, types, tests, engine tests.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const isWindows = process.platform === "win32";
// What passed on one version of Node says nothing of another: turbo's cache keeps them apart by this variable.
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", CHANGEOVER_NODE: process.version };
const startedAt = performance.now();
let passed = 0;
let failed = 0;

/** Runs a command, shows its output, and returns both its exit code and its output. */
async function run(command, args) {
  const child = spawn(command, args, { env, shell: isWindows, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.setEncoding("utf8").on("data", (text) => {
      output += text;
      to.write(text);
    });
  }
  const code = await new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on("close", resolve);
  });
  return { code, output: stripVTControlCharacters(output) };
}

/** A check passes or fails as a whole. */
async function check(title, command, ...args) {
  process.stdout.write(`\n▶ ${title}\n`);
  const { code } = await run(command, args);
  if (code === 0) passed++;
  else failed++;
}

/** Test runs count by their tests; a run that fails without a failed test counts as one failure. */
async function tests(title, command, ...args) {
  process.stdout.write(`\n▶ ${title}\n`);
  const { code, output } = await run(command, args);
  let failedTests = 0;
  for (const [, counts] of output.matchAll(/^.*\bTests\s+(\d.*)$/gm)) {
    passed += Number(/(\d+) passed/.exec(counts)?.[1] ?? 0);
    failedTests += Number(/(\d+) failed/.exec(counts)?.[1] ?? 0);
  }
  failed += code === 0 ? failedTests : Math.max(1, failedTests);
}

/** Says why engine tests cannot run, or undefined where an engine answers. */
async function missingEngine() {
  try {
    const { connectEngine } = await import("../packages/product-runtime/dist/index.js");
    await connectEngine();
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** The files whose tests need an engine. */
function engineTestFiles() {
  return readdirSync("packages")
    .map((name) => `packages/${name}/test`)
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((file) => file.endsWith(".docker.test.ts"));
}

// One package at a time: timing matters to the tests, and there may be two cores only.
const turboOptions = ["--concurrency=1", "--continue", "--output-logs=full", "--log-prefix=none", "--ui=stream"];
const turbo = (task) => ["turbo", "run", task, ...turboOptions];

await check("lint", "oxlint", "--deny-warnings");
await check("format", "prettier", "--check", "--log-level", "warn", ".");
await check("types", "tsc", "-p", "tsconfig.check.json");
await tests("tests", ...turbo("test"));
const reason = await missingEngine();
if (reason === undefined) {
  await tests("engine tests", ...turbo("test:docker"));
} else {
  const skipped = `${engineTestFiles().length} files of engine tests were skipped, because no Docker engine answers: start one (scripts/docker-engine.sh) and run npm test again.`;
  process.stdout.write(`\n${skipped}\n`);
  if (process.env["CI"]) {
    process.stderr.write(`In CI that is a failure.\n${reason}\n`);
    failed++;
  }
}

const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
process.stdout.write(`\nlint, format, types and tests in ${seconds} s\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
