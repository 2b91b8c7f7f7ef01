// A job in a process of its own that works until its standard input ends, and then ends when its client lets it. Writes
// what the client logs.
import { connectMigration } from "@changeover/migration-client";

const log = (line) => process.stdout.write(`${line}\n`);
connectMigration({}, process.env, { unref: process.argv[2] === "unref", log });
process.stdin.resume();
