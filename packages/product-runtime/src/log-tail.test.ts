import { expect, it } from "vitest";
import { LogTail } from "./log-tail.js";

it("keeps the last 20 lines, each no longer than a screen or two", () => {
  const tail = new LogTail();
  for (let i = 1; i <= 30; i++) tail.add({ stream: "stdout", line: `line ${i}` });
  tail.add({ stream: "stderr", line: "x".repeat(100_000) });
  expect(tail.texts).toHaveLength(20);
  expect(tail.texts[0]).toBe("line 12");
  expect(tail.texts.at(-1)).toHaveLength(2_001);
  expect(tail.lines.at(-1)?.stream).toBe("stderr");
});
