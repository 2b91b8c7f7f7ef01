import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type * as Protocol from "./index.js";

it("ships an entry that imports nothing and stays small, because a job loads it at every start", async () => {
  const entry = new URL("../dist/entry.js", import.meta.url);
  const code = readFileSync(entry, "utf8");
  expect(code).not.toMatch(/^\s*import\b|\brequire\(|\bimport\(/m);
  expect(code.length).toBeLessThan(12_000);

  const protocol: typeof Protocol = await import(entry.href);
  expect(protocol.parseWorkerToJobFrame('{"type":"hello-ack"}')).toEqual({ ok: true, message: { type: "hello-ack" } });
});
