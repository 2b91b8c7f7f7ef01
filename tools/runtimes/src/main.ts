import { installBinaries } from "./binaries.js";
import { CASES } from "./cases/all.js";
import { checkConformance } from "./check-conformance.js";
import { runCase } from "./run-case.js";
import { CANDIDATES, type Candidate } from "./runtimes.js";
import type { Runtime } from "./runtime.js";
import { staticImportsOfClient } from "./static-imports.js";
import { table } from "./table.js";

interface Column {
  readonly name: string;
  readonly runtime: Runtime;
  /** Why each case failed, undefined where it passed. */
  readonly failures: (string | undefined)[];
}

const CONFORMANCE = "keeps each rule of `changeover conformance`";

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
  const column: Column = { name, runtime, failures: [] };
  columns.push(column);
  for (const each of CASES) note(column, each.title, await runCase(each, runtime));
  print(`${name} (${runtime.version}): ${CASES.length} cases in ${secondsSince(startedAt)} s`);
}

async function certify(column: Column): Promise<void> {
  const startedAt = performance.now();
  note(column, CONFORMANCE, await checkConformance(column.runtime));
  await column.runtime.stop();
  print(`${column.name} (${column.runtime.version}): conformance in ${secondsSince(startedAt)} s`);
}

function note({ name, failures }: Column, title: string, failure: string | undefined): void {
  failures.push(failure);
  if (failure === undefined) passed++;
  else {
    failed++;
    print(`✖ ${name}: ${title}\n${failure}\n`);
  }
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
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
// One at a time, after all cases: it keeps a machine busy by itself.
for (const column of columns) await certify(column);

const order = candidates.flatMap(({ name }) => columns.filter((column) => column.name === name));
const titles = [...CASES.map(({ title }) => title), CONFORMANCE];
const rows = titles.map((title, n) => [title, order.map(({ failures }) => (failures[n] ? "✖" : "✔"))] as const);
const versions = ["version", order.map(({ runtime }) => runtime.version)] as const;
const names = order.map(({ name, runtime }) => name.padEnd(runtime.version.length));
print(`\n${table(names, [versions, ...rows])}\n`);
if (skipped.length > 0) {
  print(`SKIPPED, because it cannot be had on ${process.platform} ${process.arch}: ${skipped.join(", ")}.`);
  if (process.env["CI"]) {
    failed += skipped.length;
    print("In CI that is a failure.");
  }
}
print(`${order.length} runtimes in ${secondsSince(startedAt)} s`);
print(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
