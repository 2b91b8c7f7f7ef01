import { installBinaries } from "./binaries.js";
import { CASES } from "./cases/all.js";
import { runCase } from "./run-case.js";
import { CANDIDATES, type Candidate } from "./runtimes.js";
import { staticImportsOfClient } from "./static-imports.js";
import { table } from "./table.js";

interface Column {
  readonly name: string;
  readonly version: string;
  readonly seconds: number;
  /** Why each case failed, undefined where it passed. */
  readonly failures: readonly (string | undefined)[];
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
// `npm run test:runtimes -- deno` runs on what has this in its name only.
const [wanted = ""] = process.argv.slice(2);
const candidates = CANDIDATES.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
const columns: Column[] = [];
const skipped: string[] = [];
let passed = 0;
let failed = 0;

async function runAll({ name, start }: Candidate): Promise<void> {
  const runtime = await start();
  if (!runtime) {
    skipped.push(name);
    return;
  }
  const startedAt = performance.now();
  const failures: (string | undefined)[] = [];
  for (const each of CASES) {
    const failure = await runCase(each, runtime);
    if (failure === undefined) passed++;
    else {
      failed++;
      print(`✖ ${name}: ${each.title}\n${failure}\n`);
    }
    failures.push(failure);
  }
  await runtime.stop();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  columns.push({ name, version: runtime.version, seconds, failures });
  print(`${name} (${runtime.version}): ${CASES.length} cases in ${seconds} s`);
}

async function checkImports(): Promise<void> {
  const { files, forbidden } = await staticImportsOfClient();
  const isPure = forbidden.length === 0;
  if (isPure) passed++;
  else failed++;
  print(`${isPure ? "✔" : "✖"} the root entry and the ${files.length - 1} files that it loads import no Node module`);
  if (!isPure) print(forbidden.join("\n"));
}

const startedAt = performance.now();
await checkImports();
installBinaries();
// Two at a time, for there may be two cores only.
const queue = [...candidates];
async function takeTurns(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    try {
      await runAll(next);
    } catch (error) {
      failed++;
      print(`✖ ${next.name} does not run: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}
await Promise.all([takeTurns(), takeTurns()]);

const order = candidates.flatMap(({ name }) => columns.filter((column) => column.name === name));
const rows = CASES.map(({ title }, n) => [title, order.map(({ failures }) => (failures[n] ? "✖" : "✔"))] as const);
const versions = ["version", order.map(({ version }) => version)] as const;
const names = order.map(({ name, version }) => name.padEnd(version.length));
print(`\n${table(names, [versions, ...rows])}\n`);
if (skipped.length > 0) {
  print(`SKIPPED, because it cannot be had on ${process.platform} ${process.arch}: ${skipped.join(", ")}.`);
  if (process.env["CI"]) {
    failed += skipped.length;
    print("In CI that is a failure.");
  }
}
print(`${order.length} runtimes in ${Math.round((performance.now() - startedAt) / 1000)} s`);
print(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
