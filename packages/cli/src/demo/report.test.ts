import { expect, it } from "vitest";
import { median, medianPhasesMs } from "./report.js";

it.each([
  [[], 0],
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

it("takes the median of each phase, whichever phases there were", () => {
  const end = { outcome: "completed", jobId: "j", migrationId: "m" } as const;
  const ends = [1, 2, 9].map((stop) => ({ ...end, phasesMs: stop === 9 ? { stop } : { stop, ready: 0.126 } }));
  expect(medianPhasesMs(ends)).toEqual({ stop: 2, ready: 0.13 });
});
