import { expect, test } from "vitest";
import { newLiveness } from "./liveness.js";

test("silence is asked about after one interval and given up after two, with a last look", () => {
  const liveness = newLiveness(100, 1_000);
  expect(liveness.look(1_100)).toEqual({ act: "ping", ms: 100 });
  expect(liveness.look(1_200)).toEqual({ act: "wait", ms: 0 });
  expect(liveness.look(1_200)).toEqual({ act: "give-up" });
});

test("a sign of life starts the interval over, from when it came", () => {
  const liveness = newLiveness(100, 0);
  liveness.heard(60);
  expect(liveness.look(100)).toEqual({ act: "wait", ms: 60 });
  expect(liveness.look(160)).toEqual({ act: "ping", ms: 100 });
  liveness.heard(161);
  expect(liveness.look(260)).toEqual({ act: "wait", ms: 1 });
  expect(liveness.look(261)).toEqual({ act: "ping", ms: 100 });
});

test("a sign of life that is found at the last look saves the connection", () => {
  const liveness = newLiveness(100, 0);
  liveness.look(100);
  liveness.look(200);
  liveness.heard(201);
  expect(liveness.look(201)).toEqual({ act: "wait", ms: 100 });
});

test("a look that comes late gives as much time again, an interval at most, once", () => {
  for (const [lateMs, graceMs] of [
    [30, 30],
    [100_000, 100],
  ] as const) {
    const liveness = newLiveness(100, 0);
    liveness.look(100);
    expect(liveness.look(200 + lateMs)).toEqual({ act: "wait", ms: graceMs });
    expect(liveness.look(900_000)).toEqual({ act: "give-up" });
  }
});

test("after a sleep without a question under way the other side is asked, not given up", () => {
  const liveness = newLiveness(100, 0);
  expect(liveness.look(1_000_000)).toEqual({ act: "ping", ms: 100 });
});
