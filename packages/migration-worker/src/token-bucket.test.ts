import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.js";

it("lets a burst through, then as many as time brings, and never more than the burst", () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, 0);
  expect([0, 0, 0, 0].map((now) => bucket.take(now))).toEqual([true, true, true, false]);
  expect([500, 500].map((now) => bucket.take(now))).toEqual([true, false]);
  expect([60_000, 60_000, 60_000, 60_000].map((now) => bucket.take(now))).toEqual([true, true, true, false]);
});
