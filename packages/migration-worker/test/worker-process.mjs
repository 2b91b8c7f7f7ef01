// A worker in a process of its own, for tests that kill it. It is told what to do line by line on its standard input, and
// tells what happens line by line on its standard output. What it places is nothing but a promise that the test settles.
import { createInterface } from "node:readline";
import { startMigrationWorker } from "@changeover/migration-worker";

const [port, journalDirectory, leftover] = process.argv.slice(2);
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** A placement that tells when it is to be removed, and is gone when it is. */
function place(what) {
  let die;
  const gone = new Promise((resolve) => (die = resolve));
  let failures = leftover === "fails once" ? 1 : 0;
  const remove = async () => {
    if (failures-- > 0) throw new Error("the engine hiccups");
    tell({ removed: what });
    die({ reason: "removed" });
  };
  return { gone, remove };
}

const worker = await startMigrationWorker({
  port: Number(port),
  journalDirectory,
  recoverTarget: async (request) => {
    tell({ recover: request });
    if (leftover === "unknown") throw new Error("the engine does not answer");
    return leftover === "none" ? undefined : place("recovered target");
  },
});
worker.subscribe((event) => tell({ event }));
tell({ jobs: worker.jobs().map(({ jobId }) => jobId) });
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "register") tell({ env: worker.register("job-1").env });
  if (!line.startsWith("hand over")) return;
  const placeTarget = async ({ env }) => {
    tell({ target: env });
    return line === "hand over, but never place" ? new Promise(() => {}) : place("target");
  };
  void worker.handover("job-1", { placeTarget, deadlines: { fencing: 3_000 } });
});
