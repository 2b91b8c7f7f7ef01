import * as z from "zod/mini";
import type { JobToWorkerFrame, JobToWorkerFrameV2, WorkerToJobFrame, WorkerToJobFrameV2 } from "./frames.js";
import type { ParseResult } from "./parse.js";
import { schemaParser } from "./schema-parser.js";
import { jobToWorkerFrame, jobToWorkerFrameV2, workerToJobFrame, workerToJobFrameV2 } from "./schemas.js";

/**
 * The parsers of the root entry on compiled schemas: they start slower and need `new Function`, and then validate at
 * about 1.1 times the cost of `JSON.parse`. For a worker, which parses for thousands of jobs.
 *
 * @packageDocumentation
 */

// Strict: a schema that can no longer be compiled must fail here and not quietly become slower.
const strict = { strict: true };

/** As `parseJobToWorkerFrame` of the root entry. */
export const parseJobToWorkerFrame: (text: string) => ParseResult<JobToWorkerFrame> = schemaParser(
  z.compile(jobToWorkerFrame, strict),
);

/** As `parseWorkerToJobFrame` of the root entry. */
export const parseWorkerToJobFrame: (text: string) => ParseResult<WorkerToJobFrame> = schemaParser(
  z.compile(workerToJobFrame, strict),
);

/** As `parseJobToWorkerFrameV2` of the root entry. */
export const parseJobToWorkerFrameV2: (text: string) => ParseResult<JobToWorkerFrameV2> = schemaParser(
  z.compile(jobToWorkerFrameV2, strict),
);

/** As `parseWorkerToJobFrameV2` of the root entry. */
export const parseWorkerToJobFrameV2: (text: string) => ParseResult<WorkerToJobFrameV2> = schemaParser(
  z.compile(workerToJobFrameV2, strict),
);
