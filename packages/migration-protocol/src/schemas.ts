import * as z from "zod/mini";
import type {
  CutoverApplyFrame,
  CutoverReadyFrame,
  GetStateFrame,
  HelloAckFrame,
  HelloFrame,
  InitialStateFrame,
  JobAbortFrame,
  SourceStoppedOutputFrame,
  StateFrame,
  StateRefusedFrame,
  TargetAppliedFrame,
  TargetReadyFrame,
  WorkerAbortFrame,
} from "./frames.js";

type Frame<T> = z.ZodMiniType<T> & z.core.$ZodTypeDiscriminable;

// A payload came out of JSON.parse, so it is JSON already: checking it again would cost 4 to 12 times the parse.
const payload = z.unknown();
const migrationId = z.string();
const reason = z.string();

const hello: Frame<HelloFrame> = z.object({ type: z.literal("hello"), token: z.string() });
const state: Frame<StateFrame> = z.object({ type: z.literal("state"), payload });
const stateRefused: Frame<StateRefusedFrame> = z.object({ type: z.literal("state-refused"), reason });
const targetReady: Frame<TargetReadyFrame> = z.object({ type: z.literal("target-ready"), payload });
const sourceStoppedOutput: Frame<SourceStoppedOutputFrame> = z.object({
  type: z.literal("source-stopped-output"),
  payload,
});
const targetApplied: Frame<TargetAppliedFrame> = z.object({ type: z.literal("target-applied") });
const jobAbort: Frame<JobAbortFrame> = z.object({ type: z.literal("abort"), reason });

const helloAck: Frame<HelloAckFrame> = z.object({
  type: z.literal("hello-ack"),
  migration: z.exactOptional(z.object({ id: z.string() })),
});
const getState: Frame<GetStateFrame> = z.object({ type: z.literal("get-state"), migrationId });
const initialState: Frame<InitialStateFrame> = z.object({ type: z.literal("initial-state"), migrationId, payload });
const cutoverReady: Frame<CutoverReadyFrame> = z.object({ type: z.literal("cutover-ready"), migrationId, payload });
const cutoverApply: Frame<CutoverApplyFrame> = z.object({ type: z.literal("cutover-apply"), migrationId, payload });
const workerAbort: Frame<WorkerAbortFrame> = z.object({ type: z.literal("abort"), migrationId, reason });

/** Every frame that a job sends. Unknown fields are dropped. */
export const jobToWorkerFrame = z.discriminatedUnion("type", [
  hello,
  state,
  stateRefused,
  targetReady,
  sourceStoppedOutput,
  targetApplied,
  jobAbort,
]);

/** Every frame that a worker sends. Unknown fields are dropped. */
export const workerToJobFrame = z.discriminatedUnion("type", [
  helloAck,
  getState,
  initialState,
  cutoverReady,
  cutoverApply,
  workerAbort,
]);
