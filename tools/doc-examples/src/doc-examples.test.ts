import { describe, expect, test } from "vitest";
import { codeBlocks } from "./code-block.js";
import { compile, type CompiledBlock } from "./compile.js";
import { checkedFiles, documents } from "./documents.js";

const checked = new Set(checkedFiles().map(({ text }) => text));
const blocks = documents()
  .flatMap(({ path, text }) => codeBlocks(path, text))
  .filter(({ code }) => !checked.has(code));
const compiled = await compile(blocks);
const named = (block: CompiledBlock) => [`${block.file}:${block.line}`, block] as const;
const asserts = ({ code }: CompiledBlock) => code.includes('from "node:assert');

describe("every block of code compiles", () => {
  test.each(compiled.map(named))("%s", (_, { errors }) => {
    expect(errors).toEqual([]);
  });
});

describe("a block that asserts is right", () => {
  test.each(compiled.filter(asserts).map(named))("%s", async (_, { path }) => {
    await expect(import(path)).resolves.toBeDefined();
  });
});
