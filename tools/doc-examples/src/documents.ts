import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A text file of the repository. */
export interface TextFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const SKIPPED = new Set(["node_modules", "dist", "generated", ".git", ".turbo", ".changeset"]);

/** Every document, and every source file of a package, whose TSDoc may hold examples. */
export function documents(): TextFile[] {
  return files((path) => path.endsWith(".md") || /^packages\/[^/]+\/src\/.*(?<!\.test)\.ts$/.test(path));
}

/** Code that is type-checked where it is: a document that shows one of these files whole needs no further check. */
export function checkedFiles(): TextFile[] {
  return files((path) => /^(?:packages|examples)\/[^/]+\/(?:src|test)\/.*\.ts$/.test(path));
}

function files(isWanted: (path: string) => boolean, folder = ""): TextFile[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : files(isWanted, path);
    return isWanted(path) ? [{ path, text: readFileSync(join(ROOT, path), "utf8") }] : [];
  });
}
