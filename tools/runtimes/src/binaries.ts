import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Not dependencies of the workspace: with them every newcomer's `npm run demo` would load some hundred megabytes. This
// folder is outside the workspace and has a lock file of its own, and only who runs the suite installs it.
const FOLDER = new URL("../binaries/", import.meta.url);
const LOCK = new URL("package-lock.json", FOLDER);
const INSTALLED = new URL("node_modules/.installed.json", FOLDER);

const PATHS = {
  "node-20": "node-20/bin/node",
  "node-22": "node-22/bin/node",
  "node-24": "node-24/bin/node",
  "node-26": "node-26/bin/node",
  bun: "@oven/bun-linux-x64/bin/bun",
  deno: "@deno/linux-x64-glibc/deno",
} as const;

/** Installs the runtimes unless they are there, exactly as the lock file says. */
export function installBinaries(): void {
  const lock = readFileSync(LOCK, "utf8");
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, "utf8") === lock) return;
  process.stderr.write("Installing the runtimes (once, about 300 MB to load) …\n");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: FOLDER,
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status === 0) writeFileSync(INSTALLED, lock);
}

/** Where a runtime is, or undefined where its package does not support this platform. */
export function binary(name: keyof typeof PATHS): string | undefined {
  const path = fileURLToPath(new URL(`node_modules/${PATHS[name]}`, FOLDER));
  return existsSync(path) ? path : undefined;
}
