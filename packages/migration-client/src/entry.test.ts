import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("ships one file, because a job loads it at every start, and it loads ws only where that is needed", () => {
  const code = readFileSync(new URL("../dist/entry.js", import.meta.url), "utf8");
  const imported = [...code.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"/gm)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set(["@changeover/migration-protocol"]));
  expect(new Set(code.match(/\bimport\("[^"]+"\)/g))).toEqual(new Set(['import("ws")']));
});
