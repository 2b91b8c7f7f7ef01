import * as z from "zod/mini";
import type { JobToWorkerFrame, WorkerToJobFrame } from "./frames.js";
import { frameParser, type ParseResult } from "./parse.js";
import { jobToWorkerFrame, workerToJobFrame } from "./schemas.js";

/**
 * The parsers of the root entry on compiled schemas: they start slower and need `new Function`, and then validate at
 * about 1.1 times the cost of `JSON.parse`. For a worker, which parses for thousands of jobs.
 *
 * @packageDocumentation
 */

// Strict: a schema that can no longer be compiled must fail here and not quietly become slower.
const strict = { strict: true };

/** As `parseJobToWorkerFrame` of the root entry. */
export const parseJobToWorkerFrame: (text: string) => ParseResult<JobToWorkerFrame> = frameParser(
  z.compile(jobToWorkerFrame, strict),
);

/** As `parseWorkerToJobFrame` of the root entry. */
export const parseWorkerToJobFrame: (text: string) => ParseResult<WorkerToJobFrame> = frameParser(
  z.compile(workerToJobFrame, strict),
);
