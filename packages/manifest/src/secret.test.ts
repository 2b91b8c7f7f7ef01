import { inspect } from "node:util";
import { expect, it } from "vitest";
import { Secret } from "./secret.js";

const secret = new Secret("hunter2");

it.each([
  ["in a text", () => `${secret}`],
  ["added to a text", () => String(secret) + secret],
  ["in JSON", () => JSON.stringify({ secret })],
  ["inspected", () => inspect({ secret }, { showHidden: true, depth: 9 })],
  ["inspected with a format", () => inspect(secret, { compact: false })],
  ["as an error's cause", () => inspect(new Error("no", { cause: { secret } }))],
  ["entry by entry", () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
  ["copied", () => JSON.stringify([{ ...secret }, structuredClone(secret)])],
  ["as a number", () => String(Number(secret))],
])("is not shown %s", (_, show) => {
  expect(show()).not.toContain("hunter2");
});

it("says that it is one", () => {
  expect(String(secret)).toBe("[secret]");
  expect(inspect({ secret })).toBe("{ secret: [secret] }");
});

it("gives its value to who asks for it by name, bytes as well", () => {
  expect(secret.reveal()).toBe("hunter2");
  expect(new Secret(new Uint8Array([1, 2])).reveal()).toEqual(new Uint8Array([1, 2]));
});

it("is known from others, also when it is of another copy", () => {
  expect(Secret.isInstance(secret)).toBe(true);
  expect(Secret.isInstance({ [Symbol.for("@changeover/manifest/Secret")]: true })).toBe(true);
  expect([null, "hunter2", {}].some(Secret.isInstance)).toBe(false);
});
