import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

it("the README shows the test of a job that is run here", async () => {
  const code = await readFile(new URL("./readme-example.ts", import.meta.url), "utf8");
  expect(await readFile(new URL("../../README.md", import.meta.url), "utf8")).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  await expect(import("./readme-example.js")).resolves.toBeDefined();
  const { written } = await import("./counter.js");
  expect(written.length).toBeGreaterThan(30);
});
