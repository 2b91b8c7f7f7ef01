// A job in a process of its own that has nothing to do, and ends when its client lets it. Writes what the client logs.
import { connectMigration } from "@changeover/migration-client";

const [, , unref, until] = process.argv;
const log = (line) => process.stdout.write(`${line}\n`);
const client = connectMigration({}, process.env, { unref: unref === "unref", log });
if (until === "until it is connected") {
  const work = setInterval(() => {}, 1_000);
  client.ready.then(() => clearInterval(work));
}
