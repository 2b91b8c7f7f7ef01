import { encodeJobToWorkerFrame, type ReportFrame } from "@changeover/migration-protocol";
import { describeError } from "./describe-error.js";
import { MigrationClientError } from "./migration-client-error.js";

/**
 * The text of a report as version 1 has it.
 *
 * @throws MigrationClientError `unserialisable-payload`, naming the method.
 */
export function encodeReport(method: string, frame: ReportFrame): string {
  try {
    return encodeJobToWorkerFrame(frame);
  } catch (cause) {
    const message = `${method}: the payload cannot be sent as JSON: ${describeError(cause)}`;
    throw new MigrationClientError("unserialisable-payload", message, { cause });
  }
}

/** The same report as version 2 has it. The payload is not serialised again: it may be large, and have changed since. */
export function numberReport(text: string, migrationId: string, seq: number): string {
  return `{"migrationId":${JSON.stringify(migrationId)},"seq":${seq},${text.slice(1)}`;
}

/** Why a frame with a payload cannot be sent to a worker that takes this much, if it cannot. */
export function whyOversized(method: string, text: string, maxBytes: number): string | undefined {
  // A UTF-16 unit is at most 3 bytes of UTF-8: a frame that is small for sure need not be copied to be measured.
  const bytes = text.length * 3 <= maxBytes ? 0 : new TextEncoder().encode(text).length;
  if (bytes <= maxBytes) return undefined;
  return `${method}: the payload makes a frame of ${bytes} bytes, and a worker takes ${maxBytes}`;
}
