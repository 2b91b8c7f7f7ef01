#!/usr/bin/env node
import pc from "picocolors";
import { createProgram } from "./program.js";

/** What a shell expects of a process that ended because of this signal. */
const exitCodeOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;
/** How long something that was left open may keep a finished command alive. */
const lingerMs = 3_000;

const controller = new AbortController();
let exitCode = 0;

function stop(signal: keyof typeof exitCodeOf): void {
  exitCode = exitCodeOf[signal];
  controller.abort(new Error(`stopped by ${signal}`));
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Once: whoever presses Ctrl-C again does not want to wait for the clean-up.
  process.once(signal, stop);
}
// Whoever reads the output has seen enough, as `head` has.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop("SIGPIPE"));

try {
  await createProgram(controller.signal, (code) => {
    exitCode ||= code;
  }).parseAsync();
} catch (error) {
  console.error(`${pc.red("✖")} ${error instanceof Error ? error.message : String(error)}`);
  exitCode ||= 1;
}
process.exitCode = exitCode;
setTimeout(() => process.exit(), lingerMs).unref();
