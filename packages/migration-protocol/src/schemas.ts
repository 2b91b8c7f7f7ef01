import * as z from "zod/mini";
import type { JobToWorkerFrame, JobToWorkerFrameV2, WorkerToJobFrame, WorkerToJobFrameV2 } from "./frames.js";

// A payload came out of JSON.parse, so it is JSON already: checking it again would cost 4 to 12 times the parse.
const payload = z.unknown();
// The message says what a field should hold.
const text = z.string("string");
const number = z.number("number");
const uint = z.number("uint").check(z.int("uint"), z.minimum(0, "uint"));
const optional = z.exactOptional;

const report = { migrationId: text, seq: uint };
const command = { migrationId: text };
const commandV2 = { ...command, epoch: uint, deadlineMs: optional(number) };

const hello = z.object({
  type: z.literal("hello"),
  token: text,
  protocol: optional(uint),
  session: optional(text),
  client: optional(text),
});
const helloAck = z.object({
  type: z.literal("hello-ack"),
  migration: optional(z.object({ id: text }, "object")),
  protocol: optional(uint),
  worker: optional(text),
  epoch: optional(uint),
  limits: optional(z.object({ maxFrameBytes: uint }, "object")),
  pingIntervalMs: optional(number),
});
const ping = z.object({ type: z.literal("ping") });
const pong = z.object({ type: z.literal("pong") });

/** Every frame that a job sends in version 1. Unknown fields are dropped. */
export const jobToWorkerFrame = z.discriminatedUnion("type", [
  hello,
  z.object({ type: z.literal("state"), payload }),
  z.object({ type: z.literal("state-refused"), reason: text }),
  z.object({ type: z.literal("target-ready"), payload }),
  z.object({ type: z.literal("source-stopped-output"), payload }),
  z.object({ type: z.literal("target-applied") }),
  z.object({ type: z.literal("abort"), reason: text }),
]) satisfies z.ZodMiniType<JobToWorkerFrame>;

/** Every frame that a worker sends in version 1. Unknown fields are dropped. */
export const workerToJobFrame = z.discriminatedUnion("type", [
  helloAck,
  z.object({ type: z.literal("get-state"), ...command }),
  z.object({ type: z.literal("initial-state"), ...command, payload }),
  z.object({ type: z.literal("cutover-ready"), ...command, payload }),
  z.object({ type: z.literal("cutover-apply"), ...command, payload }),
  z.object({ type: z.literal("abort"), ...command, reason: text }),
]) satisfies z.ZodMiniType<WorkerToJobFrame>;

/** Every frame that a job sends in version 2. Unknown fields are dropped. */
export const jobToWorkerFrameV2 = z.discriminatedUnion("type", [
  hello,
  z.object({ type: z.literal("state"), ...report, payload }),
  z.object({ type: z.literal("state-refused"), ...report, reason: text }),
  z.object({ type: z.literal("target-ready"), ...report, payload }),
  z.object({ type: z.literal("source-stopped-output"), ...report, payload }),
  z.object({ type: z.literal("target-applied"), ...report }),
  z.object({ type: z.literal("abort"), ...report, reason: text }),
  ping,
  pong,
]) satisfies z.ZodMiniType<JobToWorkerFrameV2>;

/** Every frame that a worker sends in version 2. Unknown fields are dropped. */
export const workerToJobFrameV2 = z.discriminatedUnion("type", [
  helloAck,
  z.object({ type: z.literal("get-state"), ...commandV2 }),
  z.object({ type: z.literal("initial-state"), ...commandV2, payload }),
  z.object({ type: z.literal("cutover-ready"), ...commandV2, payload }),
  z.object({ type: z.literal("cutover-apply"), ...commandV2, payload }),
  z.object({ type: z.literal("abort"), ...commandV2, reason: text }),
  z.object({ type: z.literal("committed"), migrationId: text, epoch: uint }),
  z.object({ type: z.literal("report-ack"), seq: uint, ignored: optional(text) }),
  ping,
  pong,
]) satisfies z.ZodMiniType<WorkerToJobFrameV2>;
