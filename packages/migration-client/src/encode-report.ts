import { encodeJobToWorkerFrame, LIMITS, type JobToWorkerFrame } from "@changeover/migration-protocol";
import { describeError } from "./describe-error.js";
import { MigrationClientError } from "./migration-client-error.js";

/**
 * The text of a frame that fits into what a worker takes.
 *
 * @throws MigrationClientError `unserialisable-payload` or `oversized-payload`, naming the method.
 */
export function encodeReport(method: string, frame: JobToWorkerFrame): string {
  let text: string;
  try {
    text = encodeJobToWorkerFrame(frame);
  } catch (cause) {
    const message = `${method}: the payload cannot be sent as JSON: ${describeError(cause)}`;
    throw new MigrationClientError("unserialisable-payload", message, { cause });
  }
  const bytes = byteLength(text);
  if (bytes > LIMITS.maxFrameBytes) {
    throw new MigrationClientError(
      "oversized-payload",
      `${method}: the payload makes a frame of ${bytes} bytes, and a worker takes ${LIMITS.maxFrameBytes}`,
    );
  }
  return text;
}

function byteLength(text: string): number {
  // A UTF-16 unit is at most 3 bytes of UTF-8: a frame that is small for sure need not be copied to be measured.
  return text.length * 3 <= LIMITS.maxFrameBytes ? text.length : new TextEncoder().encode(text).length;
}
