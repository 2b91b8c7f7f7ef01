import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { MigrationClientError } from "./migration-client-error.js";
import { showValue } from "./show-value.js";

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
  if (typeof env !== "object" || env === null) {
    throw new MigrationClientError(
      "invalid-environment",
      `env must be an object of variables, and is ${showValue(env)}`,
    );
  }
  const url = env[JOB_SOCKET_ENV.url];
  if (!url) return undefined;
  const token = env[JOB_SOCKET_ENV.token];
  if (!token) {
    throw new MigrationClientError(
      "invalid-environment",
      `${JOB_SOCKET_ENV.url} is set but ${JOB_SOCKET_ENV.token} is not: a worker sets both, set both or neither`,
    );
  }
  const role = env[JOB_SOCKET_ENV.role] === "target" ? "target" : "source";
  return {
    url,
    shownUrl: shownUrl(url),
    token,
    jobId: env[JOB_SOCKET_ENV.jobId] || undefined,
    role,
    migrationId: role === "target" ? env[JOB_SOCKET_ENV.migrationId] || undefined : undefined,
  };
}

function shownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "ws:" && url?.protocol !== "wss:") {
    // The value is not shown: what is no URL may be anything, a secret too.
    const found = url ? `a URL that starts with ${url.protocol}` : "no URL";
    throw new MigrationClientError(
      "invalid-environment",
      `${JOB_SOCKET_ENV.url} must be a ws:// or wss:// URL and is ${found}`,
    );
  }
  return `${url.protocol}//${url.host}${url.pathname}`;
}
