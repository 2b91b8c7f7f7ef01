/**
 * Names of the environment variables by which a worker tells an instance where to connect and who it is. The prefix
 * is reserved: no product parameter may start with it.
 *
 * @example
 * ```ts
 * import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
 *
 * const isManaged = process.env[JOB_SOCKET_ENV.url] !== undefined;
 * ```
 */
export const JOB_SOCKET_ENV = {
  /** URL of the worker's job socket, `ws://` or `wss://`. */
  url: "NORSK_WORKER_WS_URL",
  /** The secret that says which instance this is. It travels in `hello` only, never in a URL, log or error. */
  token: "NORSK_WORKER_TOKEN",
  /** The job's id, used to name it in logs and refusals. */
  jobId: "NORSK_RUNTIME_ID",
  /** `source` or `target`. The acknowledgement of `hello` is what counts; this is for logs and start-up choices. */
  role: "NORSK_RUNTIME_ROLE",
  /** The migration that a target was launched for. */
  migrationId: "NORSK_MIGRATION_ID",
  /** Comma-separated capabilities that the placement matched. */
  capabilities: "NORSK_MATCHED_CAPABILITIES",
} as const;
