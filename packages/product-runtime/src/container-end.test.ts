import { expect, it } from "vitest";
import { containerEnd } from "./container-end.js";

it.each([
  [3, false, ["starting", "no such device", " "], "exited with code 3; last output: no such device"],
  [0, false, [], "exited with code 0; it printed nothing"],
  [137, false, [], "exited with code 137 (SIGKILL); it printed nothing"],
  [137, true, ["x"], "ran out of memory and was killed (exit code 137); last output: x"],
  [null, false, ["x"], "is gone, and the engine no longer knows its exit code; last output: x"],
])("says how a container ended: %s, %s", (exitCode, oomKilled, logTail, reason) => {
  expect(containerEnd(exitCode, oomKilled, logTail)).toEqual({ exitCode, oomKilled, logTail, reason });
});

const nodeCrash = [
  "/app/job.js:3",
  "throw new TypeError('no such device');",
  "^",
  "",
  "TypeError: no such device",
  "    at new NodeError (node:internal/errors:405:5)",
  "    at Object.<anonymous> (/app/job.js:3:7)",
  "",
  "Node.js v20.20.2",
];

it.each([
  ["a Node program", 1, nodeCrash, "last error in the output: TypeError: no such device"],
  [
    "an abort of Node",
    134,
    ["FATAL ERROR: heap out of memory", " 1: 0xb8ced0 node"],
    "FATAL ERROR: heap out of memory",
  ],
  ["a Java program", 1, ["java.lang.IllegalStateException: x", "\tat a.B.error(B.java:1)"], "IllegalStateException: x"],
  ["a Go program", 2, ["panic: nil map", "", "goroutine 1 [running]:"], "last error in the output: panic: nil map"],
  ["a Rust program", 101, ["thread 'main' panicked at src/main.rs:2", "note: run with"], "panicked at src/main.rs:2"],
  ["an error in the last line", 1, ["Error: first", "Error: second"], "last output: Error: second"],
  ["no error in sight", 3, ["0 errors", "terrorised", "bye"], "last output: bye"],
])("takes for the reason of a crash the last line that looks like an error: %s", (_, exitCode, logTail, reason) => {
  expect(containerEnd(exitCode, false, logTail).reason).toMatch(new RegExp(`^exited .*${reason}$`));
});

it.each([0, 130, 137, 143])("takes the last line when exit code %i says that it did not crash", (exitCode) => {
  expect(containerEnd(exitCode, false, ["Error: tried again", "done"]).reason).toMatch(/; last output: done$/);
});
