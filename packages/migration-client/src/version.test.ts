import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { VERSION } from "./version.js";

test("the version that the client says is that of its package", () => {
  expect(VERSION).toBe(manifest.version);
});
