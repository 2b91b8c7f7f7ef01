import { build } from "esbuild";
import { builtinModules, isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";

export interface StaticImports {
  /** Files that are loaded together with the root entry. */
  readonly files: readonly string[];
  /** What only Node has, or only Node can load, and is loaded with it too. */
  readonly forbidden: readonly string[];
}

/** What the built root entry of the client imports statically, however deep. */
export async function staticImportsOfClient(): Promise<StaticImports> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve("@changeover/migration-client"))],
    bundle: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*", ...builtinModules, "ws"],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const [entry = ""] = Object.values(metafile.outputs).map(({ entryPoint }) => entryPoint);
  const files = new Set([entry]);
  const forbidden: string[] = [];
  for (const file of files) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind === "dynamic-import") continue;
      if (path === "ws" || isBuiltin(path)) forbidden.push(`${file} imports ${path}`);
      else files.add(path);
    }
  }
  return { files: [...files], forbidden };
}
