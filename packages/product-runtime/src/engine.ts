import Docker from "dockerode";
import { text } from "node:stream/consumers";
import { dialStream } from "./dial.js";
import { engineAddresses, type EngineAddress } from "./engine-address.js";
import { connectionFailure, spokenText, statusOf } from "./engine-response.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { showValue } from "./show-value.js";
import { withDeadline } from "./with-deadline.js";

/** A Docker engine that has answered. */
export interface Engine {
  readonly docker: Docker;
  /** Which engine this is, for messages: `Docker 20.10.24 at unix:///var/run/docker.sock`. */
  readonly description: string;
  /** Whether its containers run on this machine, so that this machine's devices are theirs. */
  readonly isLocal: boolean;
  /** Host under which the ports that it publishes are reached from here. */
  readonly host: string;
}

/** Options of {@link connectEngine}. */
export interface ConnectEngineOptions {
  /** Where DOCKER_HOST, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH, XDG_RUNTIME_DIR and HOME are read. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** How long each candidate may take to answer, in milliseconds. Default 3,000. */
  readonly timeoutMs?: number;
}

/**
 * Finds the Docker engine: the one at DOCKER_HOST when that is set, otherwise the first that answers at
 * `/var/run/docker.sock`, `$XDG_RUNTIME_DIR/docker.sock` or `~/.docker/run/docker.sock`.
 *
 * @throws {@link ProductRuntimeError} with code `engine-unreachable` that lists what was tried, why it failed and what
 * to do; with `invalid-option` when DOCKER_HOST cannot be understood.
 *
 * @example
 * ```ts
 * import { connectEngine } from "@changeover/product-runtime";
 *
 * const engine = await connectEngine();
 * console.log(engine.description);
 * ```
 */
export async function connectEngine(options: ConnectEngineOptions = {}): Promise<Engine> {
  const { env = process.env, timeoutMs = 3_000 } = options;
  if (!(timeoutMs > 0)) throw new ProductRuntimeError("invalid-option", `timeoutMs must be above 0, is ${timeoutMs}`);
  const failures: { address: EngineAddress; why: string; error: unknown }[] = [];
  for (const address of engineAddresses(env)) {
    const docker = new Docker(address.options);
    try {
      const version = await versionOf(docker, timeoutMs);
      const { isLocal, host } = address;
      return { docker, description: `Docker ${version} at ${address.url}`, isLocal, host };
    } catch (error) {
      failures.push({ address, error, why: whyNot(error, timeoutMs) });
    }
  }
  const tried = failures.map(({ address, why }) => `\n  - ${address.url}: ${why}`).join("");
  throw new ProductRuntimeError(
    "engine-unreachable",
    `no Docker engine answers. Tried${env["DOCKER_HOST"] ? " what DOCKER_HOST says" : ""}:${tried}\n${adviceFor(failures)}`,
    { cause: failures.length === 1 ? failures[0]?.error : new AggregateError(failures.map(({ error }) => error)) },
  );
}

async function versionOf(docker: Docker, timeoutMs: number): Promise<string> {
  return withDeadline({ what: "asking for the version", timeoutMs }, async (signal) => {
    const answer = await text(await dialStream(docker, { method: "GET", path: "/version", signal }));
    const version = versionIn(answer);
    if (version === undefined) throw new Error("what answers there is not a Docker engine");
    return version;
  });
}

function versionIn(answer: string): string | undefined {
  try {
    const { Version } = Object(JSON.parse(answer));
    return typeof Version === "string" ? Version : undefined;
  } catch {
    return undefined;
  }
}

function whyNot(error: unknown, timeoutMs: number): string {
  if (ProductRuntimeError.isInstance(error) && error.code === "engine-timeout") {
    return `no answer within ${timeoutMs} ms`;
  }
  const status = statusOf(error);
  if (status === undefined) return connectionFailure(error);
  // Every engine knows the path that was asked for.
  if (status === 404) return "answered with HTTP 404: that is no Docker engine";
  const said = spokenText(error);
  // A body in another format than the engine's is a page for a browser.
  return `answered with HTTP ${status}${said === "" || said.startsWith("<") ? "" : `: ${said}`}`;
}

/** @throws `ProductRuntimeError` with code `invalid-option` where the caller gave no engine. */
export function checkEngine(engine: unknown): void {
  if (typeof Object(engine).docker === "object" && typeof Object(engine).description === "string") return;
  throw new ProductRuntimeError(
    "invalid-option",
    `engine must be what connectEngine returns, is ${engine instanceof Promise ? "a promise" : showValue(engine)}`,
  );
}

function adviceFor(failures: readonly { readonly why: string }[]): string {
  const isDenied = failures.some(({ why }) => why === "permission denied");
  const group =
    'If it runs and permission is denied, join its group: "sudo usermod -aG docker $USER", then log in again.';
  const start =
    'Start Docker ("sudo systemctl start docker", or Docker Desktop), or set DOCKER_HOST to where it listens.';
  return isDenied ? `${group}\nOtherwise: ${start}` : `${start}\n${group}`;
}
