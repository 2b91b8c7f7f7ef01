import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { ProductRuntimeError } from "../product-runtime-error.js";
import type { RegistryAuth } from "./docker-config.js";

/** A credential helper of Docker, and who says that it is to be used. */
export interface HelperUse {
  /** The part of its program's name after `docker-credential-`. */
  readonly name: string;
  /** Such as `credsStore in /root/.docker/config.json`. */
  readonly namedBy: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const NOT_FOUND = /credentials not found/i;
const MAX_QUOTED = 300;

/**
 * Asks a credential helper for what it has under a key: `undefined` where it has nothing.
 *
 * @throws `ProductRuntimeError` with code `credentials-failed` that says which helper said what.
 */
export async function askHelper(use: HelperUse, key: string): Promise<RegistryAuth | undefined> {
  const { name, namedBy } = use;
  const program = `docker-credential-${name}`;
  const fail = (why: string, cause?: unknown): never => {
    const subject = `the credential helper ${program}, named by ${namedBy}, `;
    throw new ProductRuntimeError("credentials-failed", `${subject}${why}`, { cause });
  };
  if (!/^[\w.-]+$/.test(name)) fail("has a name that is no program's: correct it there");
  const answer = await run(program, use, key).catch((error: unknown) =>
    Object(error).code === "ENOENT"
      ? fail("is not on the PATH: install it, or take it out there", error)
      : fail(`cannot be run: ${error instanceof Error ? error.message : String(error)}`, error),
  );
  if (answer.code !== 0) {
    // Helpers print their errors to the standard output.
    const said = (answer.stdout.trim() || answer.stderr.trim()).slice(0, MAX_QUOTED);
    if (NOT_FOUND.test(said)) return undefined;
    fail(
      `failed for ${key} with ${answer.code === null ? "a signal" : `exit code ${answer.code}`}: ${said || "no reason given"}`,
    );
  }
  return authIn(answer.stdout) ?? fail(`answered for ${key} with something else than {"Username", "Secret"}`);
}

/** Its output may hold a secret and is shown in no message. */
function authIn(stdout: string): RegistryAuth | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  const { Username, Secret } = Object(answer);
  if (typeof Username !== "string" || typeof Secret !== "string") return undefined;
  return Username === "<token>" ? { identitytoken: Secret } : { username: Username, password: Secret };
}

async function run(program: string, { env, signal }: HelperUse, input: string) {
  const child = spawn(program, ["get"], { env, signal, stdio: "pipe", windowsHide: true });
  // A helper may end without having read.
  child.stdin.on("error", () => {}).end(input);
  const exit = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
