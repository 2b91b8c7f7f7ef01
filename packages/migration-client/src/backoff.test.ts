import { expect, test } from "vitest";
import { backoffMs, paceAfter } from "./backoff.js";

const bounds = { minMs: 1_000, maxMs: 30_000 };

test("the upper bound doubles with every attempt up to the maximum", () => {
  const nearlyOne = 1 - Number.EPSILON;
  const delays = [0, 1, 2, 3, 4, 5, 6, 5_000].map((attempt) =>
    Math.round(backoffMs("backoff", { ...bounds, attempt, random: nearlyOne })),
  );
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test("the delay is any part of the upper bound", () => {
  expect(backoffMs("backoff", { ...bounds, attempt: 3, random: 0 })).toBe(0);
  expect(backoffMs("backoff", { ...bounds, attempt: 3, random: 0.25 })).toBe(2_000);
});

test("the slowest pace stays between half the maximum and the maximum from the first attempt on", () => {
  expect(backoffMs("slowest", { ...bounds, attempt: 0, random: 0 })).toBe(15_000);
  expect(backoffMs("slowest", { ...bounds, attempt: 0, random: 0.5 })).toBe(22_500);
});

test("a maximum below the minimum bounds every delay", () => {
  expect(backoffMs("backoff", { minMs: 1_000, maxMs: 100, attempt: 0, random: 0.5 })).toBe(50);
});

test.each([
  [undefined, "backoff"],
  [1006, "backoff"],
  [1012, "backoff"],
  [4408, "backoff"],
  [4400, "slowest"],
  [4401, "slowest"],
  [4429, "slowest"],
  [4409, "stop"],
])("after close code %s the pace is %s", (code, pace) => {
  expect(paceAfter(code)).toBe(pace);
});
