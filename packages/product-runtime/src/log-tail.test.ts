import { expect, it } from "vitest";
import { LogTail } from "./log-tail.js";

it("keeps the last 20 lines of each stream, each no longer than a screen or two", () => {
  const tail = new LogTail();
  for (let i = 1; i <= 30; i++) tail.add({ stream: "stdout", line: `line ${i}` });
  tail.add({ stream: "stderr", line: "x".repeat(100_000) });
  expect(tail.texts).toHaveLength(21);
  expect(tail.texts[0]).toBe("line 11");
  expect(tail.texts.at(-1)).toHaveLength(2_001);
  expect(tail.lines.at(-1)?.stream).toBe("stderr");
});

it("keeps what one stream said last, however much the other says afterwards", () => {
  const tail = new LogTail();
  tail.add({ stream: "stderr", line: "no such device" });
  for (let i = 1; i <= 30; i++) tail.add({ stream: "stdout", line: `line ${i}` });
  expect(tail.texts[0]).toBe("no such device");
  expect(tail.texts.at(-1)).toBe("line 30");
});
