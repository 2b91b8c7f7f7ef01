import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { MigrationClientError } from "./migration-client-error.js";
import { showValue } from "./show-value.js";

const { url: urlName, token: tokenName } = JOB_SOCKET_ENV;

/** Environment variables by name, as `process.env` has them. */
export type MigrationEnv = Readonly<Record<string, string | undefined>>;

/** The environment of this process; none in a browser. */
export function processEnv(): MigrationEnv {
  return globalThis.process?.env ?? {};
}

/** What a worker told this instance by its environment. */
export interface JobEnvironment {
  readonly url: string;
  /** The URL without user info, query and fragment, which may hold secrets: for logs. */
  readonly shownUrl: string;
  readonly token: string;
  readonly jobId: string | undefined;
  readonly role: "source" | "target";
  /** The migration that a target was launched for. */
  readonly migrationId: string | undefined;
}

/**
 * Reads the environment; undefined where no worker is configured.
 *
 * @throws MigrationClientError `invalid-environment`, naming the variable. No message shows the token.
 */
export function readJobEnvironment(env: MigrationEnv): JobEnvironment | undefined {
  if (typeof env !== "object" || env === null) throw invalid(`env must be an object, and is ${showValue(env)}`);
  const { [urlName]: url, [tokenName]: token, [JOB_SOCKET_ENV.jobId]: jobId } = env;
  if (!url) return undefined;
  if (!token) throw invalid(`${urlName} is set but ${tokenName} is not: set both or neither`);
  const isTarget = env[JOB_SOCKET_ENV.role] === "target";
  return {
    url,
    shownUrl: shownUrl(url),
    token,
    jobId: jobId || undefined,
    role: isTarget ? "target" : "source",
    migrationId: (isTarget && env[JOB_SOCKET_ENV.migrationId]) || undefined,
  };
}

function shownUrl(text: string): string {
  const { protocol, host, pathname } = URL.canParse(text) ? new URL(text) : { protocol: "none" };
  if (/^wss?:$/.test(protocol)) return `${protocol}//${host}${pathname}`;
  // The value is not shown: what is no URL may be anything, a secret too.
  throw invalid(`${urlName} must be a ws:// or wss:// URL; its protocol is ${protocol}`);
}

function invalid(message: string): MigrationClientError {
  return new MigrationClientError("invalid-environment", message);
}
