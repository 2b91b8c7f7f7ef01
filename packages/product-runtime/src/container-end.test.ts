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
