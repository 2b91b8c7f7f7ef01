import { expect, test } from "vitest";
import { checkOptions } from "./migration-client-options.js";

test("the defaults are those that are documented", () => {
  expect(checkOptions({})).toMatchObject({ reconnectMinMs: 1_000, reconnectMaxMs: 30_000, getStateTimeoutMs: 9_000 });
});

test.each([
  ["reconnectMinMs", 0],
  ["reconnectMinMs", Number.NaN],
  ["reconnectMaxMs", -1],
  ["reconnectMaxMs", Number.POSITIVE_INFINITY],
  ["getStateTimeoutMs", 2 ** 31],
  ["getStateTimeoutMs", "9000"],
  ["log", "console"],
  ["name", 7],
  ["WebSocket", {}],
])("option %s with the value %s is an error that names both", (option, value) => {
  const check = (): unknown => checkOptions({ [option]: value });
  expect(check).toThrow(expect.objectContaining({ code: "invalid-option" }));
  expect(check).toThrow(`option ${option} must be `);
  expect(check).toThrow(`, and is ${String(value)}`);
});

test("a minimum above the maximum is an error only if both are given", () => {
  expect(() => checkOptions({ reconnectMinMs: 200, reconnectMaxMs: 100 })).toThrow(/reconnectMinMs .* 100, and is 200/);
  expect(checkOptions({ reconnectMaxMs: 100 })).toMatchObject({ reconnectMaxMs: 100 });
});
