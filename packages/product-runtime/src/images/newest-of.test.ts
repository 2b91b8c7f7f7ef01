import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { newestOf } from "./newest-of.js";

const numbered = (n: number): { n: number } => ({ n });

it("yields the newest to a slow reader, and the last to any", async () => {
  const seen: number[] = [];
  const values = newestOf<{ n: number }>(async (report) => {
    report(numbered(1));
    await turn();
    for (const n of [2, 3, 4]) report(numbered(n));
  });
  for await (const { n } of values) {
    seen.push(n);
    await turn();
    await turn();
  }
  expect(seen).toEqual([1, 4]);
});

it("throws what the work throws, after what it reported", async () => {
  const values = newestOf<{ n: number }>(async (report) => {
    report(numbered(1));
    throw new Error("it broke");
  });
  await expect(values.next()).resolves.toEqual({ done: false, value: numbered(1) });
  await expect(values.next()).rejects.toThrow("it broke");
});

it("leaves no unhandled rejection when the reader is gone", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const values = newestOf<{ n: number }>(async (report) => {
    report(numbered(1));
    await turn();
    throw new Error("nobody hears this");
  });
  await values.next();
  await values.return(undefined);
  await turn();
  await turn();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
