import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** Who may use a registry with a password. */
export const USER = { username: "ada", password: "s3cret" };
const HTPASSWD = "ada:$2y$05$P6OAzMXI2Q6kXHMEK7UfcOfZnaLDiTsM9PBl99pN2JG1N35E0ZAyG\n";

const findProgram = fileURLToPath(new URL("../../../scripts/docker-registry.sh", import.meta.url));

/** Where the registry's program is, which is installed first where there is none. */
async function registryProgram(): Promise<string> {
  const { stdout } = await promisify(execFile)(findProgram);
  return stdout.trim();
}

/** Whether no registry can be had here, which is said in a line, and is a failure in CI. */
export async function missingRegistry(): Promise<boolean> {
  try {
    await registryProgram();
    return false;
  } catch (error) {
    if (process.env["CI"]) throw error;
    process.stdout.write(`Tests with a registry are skipped. ${String(Object(error).stderr ?? error).trim()}\n`);
    return true;
  }
}

/** A registry on this machine, as long as a test. */
export interface Registry {
  /** `127.0.0.1` and its port. */
  readonly host: string;
  /** Digest of the last layer of an image that is there. */
  layerOf(repository: string, tag: string): Promise<string>;
  /** Takes the file of a blob away, which the registry's manifests go on to name. */
  loseBlob(digest: string): Promise<void>;
}

/** Starts a registry with an empty storage on a port that the system picks. */
export async function startRegistry(options: { readonly hasPassword?: boolean } = {}): Promise<Registry> {
  const dir = await mkdtemp(join(tmpdir(), "registry-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const config = {
    version: 0.1,
    log: { accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(dir, "data") } },
    http: { addr: "127.0.0.1:0" },
    ...(options.hasPassword ? { auth: { htpasswd: { realm: "test", path: join(dir, "htpasswd") } } } : {}),
  };
  // JSON is YAML.
  await writeFile(join(dir, "config.yml"), JSON.stringify(config));
  await writeFile(join(dir, "htpasswd"), HTPASSWD);
  const child = spawn(await registryProgram(), ["serve", join(dir, "config.yml")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const end = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await end;
  });
  const host = await listeningHost(child.stderr);
  return {
    host,
    layerOf: async (repository, tag) => {
      const accept = "application/vnd.docker.distribution.manifest.v2+json";
      const answer = await fetch(`http://${host}/v2/${repository}/manifests/${tag}`, { headers: { accept } });
      return Object(await answer.json()).layers.at(-1).digest;
    },
    loseBlob: (digest) => {
      const hex = digest.replace("sha256:", "");
      return rm(join(dir, "data/docker/registry/v2/blobs/sha256", hex.slice(0, 2), hex, "data"));
    },
  };
}

async function listeningHost(log: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface(log);
  const seen: string[] = [];
  // The log must be read on, or the registry would block on it.
  return new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      seen.push(line);
      const found = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    lines.on("close", () => reject(new Error(`the registry ended before it listened:\n${seen.join("\n")}`)));
  });
}
