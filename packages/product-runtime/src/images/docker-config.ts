import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ProductRuntimeError } from "../product-runtime-error.js";
import { DOCKER_HUB } from "./image-reference.js";

/** What registries are given so that they let somebody in, as engines take it. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/** What Docker's config file says about credentials. */
export interface DockerConfig {
  readonly path: string;
  readonly auths: Readonly<Record<string, unknown>>;
  readonly credsStore?: string;
  readonly credHelpers: Readonly<Record<string, unknown>>;
}

/** Docker's own name for its hub in files and helpers, older than `docker.io`. */
const HUB_KEY = "https://index.docker.io/v1/";

/** Under which name files and helpers keep the credentials of a registry. */
export function credentialsKey(registry: string): string {
  return registry === DOCKER_HUB ? HUB_KEY : registry;
}

/**
 * Reads the config file in DOCKER_CONFIG or `~/.docker`. One that is not there says nothing.
 *
 * @throws `ProductRuntimeError` with code `credentials-failed` where it cannot be read.
 */
export async function readDockerConfig(env: NodeJS.ProcessEnv): Promise<DockerConfig> {
  const path = join(env["DOCKER_CONFIG"] || join(env["HOME"] || homedir(), ".docker"), "config.json");
  const { auths, credsStore, credHelpers }: Readonly<Record<string, unknown>> = Object(await readJson(path));
  return {
    path,
    auths: Object(auths),
    credHelpers: Object(credHelpers),
    ...(typeof credsStore === "string" && credsStore !== "" ? { credsStore } : {}),
  };
}

async function readJson(path: string): Promise<unknown> {
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    const { code } = Object(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    throw unreadable(path, `it cannot be read (${code})`, cause);
  }
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own words quote the file, which holds passwords.
    throw unreadable(path, "it is not JSON");
  }
}

/** What the config file itself has for a registry: `undefined` without an entry, or with one that a helper left. */
export function storedAuth(config: DockerConfig, registry: string): RegistryAuth | undefined {
  const key = Object.hasOwn(config.auths, credentialsKey(registry))
    ? credentialsKey(registry)
    : Object.keys(config.auths).find((each) => hostIn(each) === hostIn(credentialsKey(registry)));
  if (key === undefined) return undefined;
  const entry: Readonly<Record<string, unknown>> = Object(config.auths[key]);
  const [username, password] = decoded(entry["auth"]) ?? [textIn(entry["username"]), textIn(entry["password"])];
  if (textIn(entry["auth"]) !== undefined && username === undefined) {
    throw unreadable(config.path, `auths[${JSON.stringify(key)}].auth is not "user:password" in Base64`);
  }
  const auth = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...tokenIn(entry, "identitytoken"),
    ...tokenIn(entry, "registrytoken"),
  };
  return Object.keys(auth).length === 0 ? undefined : auth;
}

/** The host in a key, which people and tools write with a scheme, with a path, or as it is. */
function hostIn(key: string): string {
  const host = key.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return host === DOCKER_HUB ? "index.docker.io" : host;
}

function decoded(auth: unknown): [username?: string, password?: string] | undefined {
  if (textIn(auth) === undefined) return undefined;
  const pair = Buffer.from(String(auth), "base64").toString("utf8");
  const colon = pair.indexOf(":");
  // Docker pads passwords with NUL.
  return colon < 1 ? [] : [pair.slice(0, colon), pair.slice(colon + 1).replace(/\0+$/, "")];
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function tokenIn(entry: Readonly<Record<string, unknown>>, name: "identitytoken" | "registrytoken"): RegistryAuth {
  const token = textIn(entry[name]);
  return token === undefined ? {} : { [name]: token };
}

function unreadable(path: string, why: string, cause?: unknown): ProductRuntimeError {
  return new ProductRuntimeError(
    "credentials-failed",
    `the credentials in ${path} cannot be used: ${why}. Correct it, or set DOCKER_CONFIG to another folder.`,
    { cause },
  );
}
