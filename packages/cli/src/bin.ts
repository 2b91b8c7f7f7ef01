#!/usr/bin/env node
import pc from "picocolors";
import { createProgram } from "./program.js";

/** What a shell expects of a process that ended because of this signal. */
const exitCodeOf = { SIGINT: 130, SIGTERM: 143 } as const;

const controller = new AbortController();
let exitCode = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Once: whoever presses Ctrl-C again does not want to wait for the clean-up.
  process.once(signal, () => {
    exitCode = exitCodeOf[signal];
    controller.abort(new Error(`stopped by ${signal}`));
  });
}
try {
  await createProgram(controller.signal, (code) => {
    exitCode = code;
  }).parseAsync();
} catch (error) {
  console.error(`${pc.red("✖")} ${error instanceof Error ? error.message : String(error)}`);
  exitCode ||= 1;
}
process.exitCode = exitCode;
