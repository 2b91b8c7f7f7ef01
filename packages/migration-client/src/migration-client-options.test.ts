import { expect, test } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { checkOptions } from "./migration-client-options.js";

test("the defaults are those that are documented", () => {
  expect(checkOptions({})).toMatchObject({ reconnectMinMs: 1_000, reconnectMaxMs: 30_000, getStateTimeoutMs: 9_000 });
  expect(checkOptions({}).resumeAfterMs).toBeNull();
});

test.each([
  ["reconnectMinMs", 0, "0"],
  ["reconnectMinMs", Number.NaN, "NaN"],
  ["reconnectMaxMs", -1, "-1"],
  ["reconnectMaxMs", Number.POSITIVE_INFINITY, "Infinity"],
  ["getStateTimeoutMs", 2 ** 31, "2147483648"],
  ["getStateTimeoutMs", "9000", '"9000"'],
  ["resumeAfterMs", 0, "0"],
  ["resumeAfterMs", false, "false"],
  ["resumeAfterMs", Number.POSITIVE_INFINITY, "Infinity"],
  ["log", "console", '"console"'],
  ["log", null, "null"],
  ["name", 7, "7"],
  ["name", () => {}, "a function"],
  ["WebSocket", Object.create(null), "an object"],
  ["WebSocket", [], "an array"],
  ["clock", null, "null"],
  ["random", 0.5, "0.5"],
  ["createSocket", {}, "an object"],
  ["shouldReconnect", false, "false"],
  ["unref", "yes", '"yes"'],
])("option %s with the value %o is an error that names both", (option, value, shown) => {
  const check = (): unknown => checkOptions({ [option]: value });
  expect(check).toThrow(expect.objectContaining({ code: "invalid-option" }));
  expect(check).toThrow(`option ${option} must be `);
  expect(check).toThrow(new RegExp(`, and is ${shown}$`));
});

test("a clock that lacks a function is an error that names it", () => {
  const now = (): number => 0;
  // @ts-expect-error: what a caller without types can do.
  expect(() => checkOptions({ clock: { now } })).toThrow("option clock.setTimer must be a function, and is undefined");
});

test("a minimum above the maximum is an error only if both are given", () => {
  expect(() => checkOptions({ reconnectMinMs: 200, reconnectMaxMs: 100 })).toThrow(/reconnectMinMs .* 100, and is 200/);
  expect(checkOptions({ reconnectMaxMs: 100 })).toMatchObject({ reconnectMaxMs: 100 });
});

test("WebSocket and createSocket exclude each other", () => {
  const WebSocket = FakeWebSocket;
  const createSocket = (url: string): FakeWebSocket => new WebSocket(url);
  expect(() => checkOptions({ WebSocket, createSocket })).toThrow(/createSocket must be left out where WebSocket is/);
});
