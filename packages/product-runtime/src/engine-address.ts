import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { DockerOptions } from "dockerode";
import { ProductRuntimeError } from "./product-runtime-error.js";

/** Where an engine may listen. */
export interface EngineAddress {
  /** As DOCKER_HOST writes it. */
  readonly url: string;
  readonly isLocal: boolean;
  /** Host on which the engine publishes ports, as seen from here. */
  readonly host: string;
  readonly options: DockerOptions;
}

// dockerode fills what is left out from the environment of the process, so everything is said.
const NOTHING = {
  socketPath: undefined,
  host: undefined,
  port: undefined,
  protocol: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
  timeout: undefined,
} satisfies DockerOptions;

const FORMS = "unix:///path, tcp://host:port, http://host:port and https://host:port";

/** Where to look for an engine: at DOCKER_HOST alone when it is set, otherwise at the usual sockets. */
export function engineAddresses(env: NodeJS.ProcessEnv): EngineAddress[] {
  const dockerHost = env["DOCKER_HOST"];
  if (dockerHost !== undefined && dockerHost !== "") return [addressOf(dockerHost, env)];
  const runtimeDir = env["XDG_RUNTIME_DIR"];
  return [
    "/var/run/docker.sock",
    ...(runtimeDir === undefined || runtimeDir === "" ? [] : [join(runtimeDir, "docker.sock")]),
    join(env["HOME"] ?? homedir(), ".docker/run/docker.sock"),
  ].map(socketAddress);
}

function socketAddress(path: string): EngineAddress {
  const options = { ...NOTHING, socketPath: path };
  return { url: `unix://${path}`, isLocal: true, host: "127.0.0.1", options };
}

function addressOf(dockerHost: string, env: NodeJS.ProcessEnv): EngineAddress {
  const url = URL.canParse(dockerHost) ? new URL(dockerHost) : undefined;
  switch (url?.protocol) {
    case "unix:":
      if (url.host === "" && url.pathname !== "") return socketAddress(decodeURIComponent(url.pathname));
      break;
    case "tcp:":
    case "http:":
    case "https:":
      if (url.hostname !== "") return networkAddress(url, env);
      break;
  }
  throw new ProductRuntimeError(
    "invalid-option",
    `DOCKER_HOST is ${JSON.stringify(dockerHost)}; it can have the forms ${FORMS}`,
  );
}

function networkAddress(url: URL, env: NodeJS.ProcessEnv): EngineAddress {
  const isTls = url.protocol === "https:" || (url.protocol === "tcp:" && Boolean(env["DOCKER_TLS_VERIFY"]));
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const options: DockerOptions = {
    ...NOTHING,
    host: url.hostname,
    port: url.port === "" ? (isTls ? 2376 : 2375) : Number(url.port),
    protocol: isTls ? "https" : "http",
    ...(isTls ? certificates(env["DOCKER_CERT_PATH"]) : {}),
  };
  return { url: `${url.protocol}//${url.host}`, isLocal: false, host, options };
}

function certificates(dir: string | undefined): Pick<DockerOptions, "ca" | "cert" | "key"> {
  if (dir === undefined || dir === "") return {};
  try {
    const [ca, cert, key] = ["ca.pem", "cert.pem", "key.pem"].map((file) => readFileSync(join(dir, file)));
    return { ca, cert, key };
  } catch (cause) {
    const message = `DOCKER_CERT_PATH is ${JSON.stringify(dir)}, and ca.pem, cert.pem and key.pem cannot be read there`;
    throw new ProductRuntimeError("invalid-option", message, { cause });
  }
}
