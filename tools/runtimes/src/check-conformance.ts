import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PLAIN_ENV } from "./process-runtime.js";
import type { Runtime } from "./runtime.js";

const CLI = fileURLToPath(new URL("dist/bin.js", import.meta.resolve("changeover/package.json")));
const TIMEOUT_MS = 180_000;

/** Checks the client on a runtime against every rule of the protocol, and returns which it breaks, if it does. */
export async function checkConformance({ conformanceCommand }: Runtime): Promise<string | undefined> {
  try {
    const args = [CLI, "conformance", "--", ...conformanceCommand];
    await promisify(execFile)(process.execPath, args, { env: PLAIN_ENV, timeout: TIMEOUT_MS });
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error && "stdout" in error && "stderr" in error)) return String(error);
  const broken = String(error.stdout)
    .split("\n")
    .filter((line) => !line.startsWith("✔"));
  return `${error.message}\n${broken.join("\n")}`;
}
