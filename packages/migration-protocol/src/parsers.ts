import { jobToWorkerFrame, jobToWorkerFrameV2, workerToJobFrame, workerToJobFrameV2 } from "./frame-table.js";
import type { JobToWorkerFrame, JobToWorkerFrameV2, WorkerToJobFrame, WorkerToJobFrameV2 } from "./frames.js";
import type { ParseResult } from "./parse.js";
import { tableParser } from "./table-parser.js";

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
export const parseWorkerToJobFrame: (text: string) => ParseResult<WorkerToJobFrame> =
  /* @__PURE__ */ tableParser(workerToJobFrame);

/** Reads a frame that a job sent. A worker that reads very many takes the same function from `./compiled`. */
export const parseJobToWorkerFrame: (text: string) => ParseResult<JobToWorkerFrame> =
  /* @__PURE__ */ tableParser(jobToWorkerFrame);

/** As {@link parseWorkerToJobFrame}, on a connection whose `hello-ack` said `protocol: 2`. */
export const parseWorkerToJobFrameV2: (text: string) => ParseResult<WorkerToJobFrameV2> =
  /* @__PURE__ */ tableParser(workerToJobFrameV2);

/** As {@link parseJobToWorkerFrame}, on a connection whose `hello-ack` said `protocol: 2`. */
export const parseJobToWorkerFrameV2: (text: string) => ParseResult<JobToWorkerFrameV2> =
  /* @__PURE__ */ tableParser(jobToWorkerFrameV2);
