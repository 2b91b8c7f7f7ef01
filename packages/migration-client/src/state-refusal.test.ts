import { expect, test, vi } from "vitest";
import { isStateRefusal, stateRefusal } from "./state-refusal.js";

test("a refusal is told from a state, also from one that looks alike", () => {
  expect(isStateRefusal(stateRefusal("busy"))).toBe(true);
  for (const state of [{ reason: "busy" }, "busy", null, undefined, 0, () => {}]) {
    expect(isStateRefusal(state)).toBe(false);
  }
});

test("a refusal made by another copy of the package is one", async () => {
  vi.resetModules();
  const copy = await import("./state-refusal.js");
  expect(copy.stateRefusal).not.toBe(stateRefusal);
  expect(isStateRefusal(copy.stateRefusal("busy"))).toBe(true);
});
