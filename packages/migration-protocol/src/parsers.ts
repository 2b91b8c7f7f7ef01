import type { JobToWorkerFrame, WorkerToJobFrame } from "./frames.js";
import { frameParser, type ParseResult } from "./parse.js";
import { jobToWorkerFrame, workerToJobFrame } from "./schemas.js";

/**
 * Reads a frame that a worker sent. Unknown fields are dropped; a frame of an unknown type is reported as such.
 *
 * @example
 * ```ts
 * import { parseWorkerToJobFrame } from "@changeover/migration-protocol";
 *
 * const result = parseWorkerToJobFrame('{"type":"get-state","migrationId":"m-1"}');
 * if (result.ok) console.log(result.message.type);
 * else console.error(result.reason);
 * ```
 */
export const parseWorkerToJobFrame: (text: string) => ParseResult<WorkerToJobFrame> = frameParser(workerToJobFrame);

/** Reads a frame that a job sent. A worker that reads very many takes the same function from `./compiled`. */
export const parseJobToWorkerFrame: (text: string) => ParseResult<JobToWorkerFrame> = frameParser(jobToWorkerFrame);
