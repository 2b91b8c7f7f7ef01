import assert from "node:assert/strict";
import { testHandover } from "@changeover/migration-worker/testing";
import { startCounter, written } from "./counter.js";

const run = await testHandover(startCounter, {
  faults: [
    { at: { frame: "cutover-ready" }, do: "drop" },
    { at: { phase: "stop", nth: 2 }, do: { crash: "worker" } },
  ],
  handovers: 3,
});
const outcomes = run.ends.map((end) => end.outcome);
assert.deepEqual(outcomes, ["completed", "aborted", "completed"], String(run.trace));
assert.deepEqual(written, [...written.keys()], String(run.trace));
