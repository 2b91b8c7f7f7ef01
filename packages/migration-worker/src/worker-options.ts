import type { ServerOptions } from "node:https";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { LIMITS } from "@changeover/migration-protocol";
import { messageOf, MigrationWorkerError } from "./errors.js";
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

const NAMES = Object.keys({
  host: true,
  port: true,
  advertisedHost: true,
  tls: true,
  allowedOrigins: true,
  maxFrameBytes: true,
  journalDirectory: true,
  recoverTarget: true,
} satisfies Record<keyof MigrationWorkerOptions, true>);

// `ws` counts the bytes of a frame in 32 bits.
const MAX_FRAME_BYTES = 2 ** 31 - 1;

/** @throws MigrationWorkerError `invalid-option` */
export function checkWorkerOptions(options: MigrationWorkerOptions): CheckedWorkerOptions {
  if (typeof options !== "object" || options === null) {
    throw invalid("options", options, "they must be an object");
  }
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name)) continue;
    throw new MigrationWorkerError("invalid-option", `there is no option ${name}: there are ${NAMES.join(", ")}`);
  }
  const { host = "127.0.0.1", port = 0, advertisedHost = host, tls, allowedOrigins = [] } = options;
  const { maxFrameBytes = LIMITS.maxFrameBytes, journalDirectory, recoverTarget } = options;
  for (const [name, value] of Object.entries({ host, advertisedHost })) {
    if (typeof value !== "string" || value === "") throw invalid(name, value, "it must be a host name or an address");
  }
  if (tls !== undefined) checkTls(tls);
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
  if (!Number.isInteger(maxFrameBytes) || maxFrameBytes < LIMITS.maxHelloBytes || maxFrameBytes > MAX_FRAME_BYTES) {
    const rule = `it must be an integer from ${LIMITS.maxHelloBytes} to ${MAX_FRAME_BYTES}`;
    throw invalid("maxFrameBytes", maxFrameBytes, rule);
  }
  if (journalDirectory !== undefined && (typeof journalDirectory !== "string" || journalDirectory === "")) {
    throw invalid("journalDirectory", journalDirectory, "it must be the path of a directory");
  }
  if (recoverTarget !== undefined && typeof recoverTarget !== "function") {
    throw invalid("recoverTarget", recoverTarget, "it must be a function");
  }
  return { host, port, advertisedHost, tls, allowedOrigins, maxFrameBytes, journalDirectory, recoverTarget };
}

/** A worker that listens without a certificate would refuse every job, one by one. */
function checkTls(tls: ServerOptions): void {
  const rule = "it must be the options of node:https, with a key and a certificate that belong together";
  if (typeof tls !== "object" || tls === null) throw invalid("tls", tls, rule);
  const hasKey = (tls.key && tls.cert) || tls.pfx || tls.SNICallback;
  if (!hasKey) throw invalid("tls", Object.keys(tls), rule);
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new MigrationWorkerError("invalid-option", `tls cannot be used: ${messageOf(error)}: ${rule}`, {
      cause: error,
    });
  }
}

function invalid(option: string, value: unknown, rule: string): MigrationWorkerError {
  return new MigrationWorkerError("invalid-option", `${option} is ${shown(value)}: ${rule}`);
}

/** As JSON has it, but for what JSON has no words for. */
function shown(value: unknown): string {
  return typeof value === "object" || typeof value === "string" ? JSON.stringify(value) : String(value);
}
