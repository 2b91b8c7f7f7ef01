import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeBlock } from "./code-block.js";

/** The folder is inside this package, so that the blocks find the packages that they import. */
const GENERATED = fileURLToPath(new URL("../generated/", import.meta.url));
const BASE = "../../../../tsconfig.base.json";
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

/** A block as a file of its own. */
export interface CompiledBlock extends CodeBlock {
  readonly path: string;
  /** What the compiler says of it, with the lines of the document. */
  readonly errors: readonly string[];
}

/** Compiles all blocks at once: each is a module of its own, TypeScript under the options of the repository. */
export async function compile(blocks: readonly CodeBlock[]): Promise<CompiledBlock[]> {
  rmSync(GENERATED, { recursive: true, force: true });
  const written = blocks.map((block) => {
    const name = `${block.file.replaceAll(/[^\w]+/g, "-")}-${block.line}.${block.language}`;
    const path = join(GENERATED, block.language, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${block.given}\n${block.code}\nexport {};\n`);
    return { ...block, path };
  });
  const output = (await Promise.all([tsc("ts", {}), tsc("js", { allowJs: true, checkJs: true, strict: false })])).join(
    "",
  );
  const errors = [...output.matchAll(/^(\S+)\((\d+),\d+\): error (.*(?:\n .*)*)/gm)];
  return written.map((block) => {
    // One line for what is given, which ends at least with a newline.
    const offset = block.line - block.given.split("\n").length - 1;
    const own = errors.filter(([, file = ""]) => basename(file) === basename(block.path));
    return {
      ...block,
      errors: own.map(([, , line, message]) => `${block.file}:${offset + Number(line)}: ${message}`),
    };
  });
}

function tsc(language: CodeBlock["language"], options: object): Promise<string> {
  const folder = join(GENERATED, language);
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    noEmit: true,
    // An example may make something that it does not use.
    noUnusedLocals: false,
    noUnusedParameters: false,
    ...options,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: BASE, compilerOptions, include: ["."] }));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [TSC, "-p", folder, "--pretty", "false"], (error, stdout, stderr) => {
      // Exit code 2 says that there are errors, which are on stdout.
      if (error && stdout === "") reject(new Error(`tsc failed: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
