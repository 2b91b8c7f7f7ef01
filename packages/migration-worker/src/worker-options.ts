import type { ServerOptions } from "node:https";
import { isIP } from "node:net";
import { LIMITS } from "@changeover/migration-protocol";
import { MigrationWorkerError } from "./errors.js";
import type { MigrationWorkerOptions, RecoverTarget } from "./migration-worker.js";

export interface CheckedWorkerOptions {
  host: string;
  port: number;
  advertisedHost: string;
  tls: ServerOptions | undefined;
  allowedOrigins: readonly string[];
  maxFrameBytes: number;
  journalDirectory: string | undefined;
  recoverTarget: RecoverTarget | undefined;
}

/** @throws MigrationWorkerError `invalid-option` */
export function checkWorkerOptions(options: MigrationWorkerOptions): CheckedWorkerOptions {
  const { host = "127.0.0.1", port = 0, advertisedHost = host, tls, allowedOrigins = [] } = options;
  const { maxFrameBytes = LIMITS.maxFrameBytes, journalDirectory, recoverTarget } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid("port", port, "it must be an integer from 0 to 65535");
  }
  if ((host === "0.0.0.0" || host === "::") && advertisedHost === host) {
    throw invalid("host", host, "no instance can connect to that, so set advertisedHost to this machine's name");
  }
  if (!/^[\w.:-]+$/.test(advertisedHost) || (advertisedHost.includes(":") && isIP(advertisedHost) !== 6)) {
    const rule = "it must be a host name or an address, without scheme, port or path";
    throw invalid("advertisedHost", advertisedHost, rule);
  }
  if (!Array.isArray(allowedOrigins)) throw invalid("allowedOrigins", allowedOrigins, "it must be an array of origins");
  if (!Number.isInteger(maxFrameBytes) || maxFrameBytes < LIMITS.maxHelloBytes) {
    throw invalid("maxFrameBytes", maxFrameBytes, `it must be an integer of at least ${LIMITS.maxHelloBytes}`);
  }
  if (journalDirectory !== undefined && (typeof journalDirectory !== "string" || journalDirectory === "")) {
    throw invalid("journalDirectory", journalDirectory, "it must be the path of a directory");
  }
  if (recoverTarget !== undefined && typeof recoverTarget !== "function") {
    throw invalid("recoverTarget", recoverTarget, "it must be a function");
  }
  return { host, port, advertisedHost, tls, allowedOrigins, maxFrameBytes, journalDirectory, recoverTarget };
}

function invalid(option: string, value: unknown, rule: string): MigrationWorkerError {
  return new MigrationWorkerError("invalid-option", `${option} is ${JSON.stringify(value)}: ${rule}`);
}
