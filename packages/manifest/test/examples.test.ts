import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { parseManifest } from "../src/index.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const README = "packages/manifest/README.md";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The blocks of code in a text, in a language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, code = ""]) => code);
}

/** The examples in the comments of the sources. */
function docExamples(): string[] {
  const source = "packages/manifest/src";
  const files = readdirSync(join(root, source)).filter((name) => name.endsWith(".ts") && !name.includes(".test."));
  return files.flatMap((name) => blocks(read(`${source}/${name}`).replaceAll(/^ +\* ?/gm, ""), "ts"));
}

it("the README shows the program that is run here", () => {
  expect(blocks(read(README), "ts")).toEqual([read("packages/manifest/test/readme/product.ts")]);
});

it("the program in the README prints what it says", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((value) => {
    lines.push(...(typeof value === "string" ? value : inspect(value)).split("\n"));
  });
  await import("./readme/product.js");
  const said = read("packages/manifest/test/readme/product.ts").matchAll(/(?:^| )\/\/ (.*)$/gm);
  expect(lines).toEqual([...said].map(([, line]) => line));
});

it.each([README, "docs/manifest.md"])("every manifest in %s is right", (document) => {
  const manifests = blocks(read(document), "json").map((text) => JSON.parse(text));
  expect(manifests.length).toBeGreaterThan(0);
  for (const manifest of manifests) expect(parseManifest(manifest)).toMatchObject({ schemaVersion: 2 });
});

it("every example in the comments and in the README has its types right", () => {
  const examples = [...docExamples(), ...blocks(read(README), "js")];
  expect(examples.length).toBeGreaterThan(10);
  const folder = mkdtempSync(join(tmpdir(), "changeover-examples-"));
  try {
    for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.mts`), code);
    const compilerOptions = {
      noEmit: true,
      composite: false,
      noUnusedLocals: false,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      paths: { "@changeover/manifest": [join(root, "packages/manifest/src/index.ts")] },
    };
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.mts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(() => execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" })).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
