export { CLOSE_CODE, type CloseCode } from "./close-codes.js";
export { encodeJobToWorkerFrame, encodeWorkerToJobFrame } from "./encode.js";
export type {
  CutoverApplyFrame,
  CutoverReadyFrame,
  GetStateFrame,
  HelloAckFrame,
  HelloFrame,
  InitialStateFrame,
  JobAbortFrame,
  JobToWorkerFrame,
  SourceStoppedOutputFrame,
  StateFrame,
  StateRefusedFrame,
  TargetAppliedFrame,
  TargetReadyFrame,
  WorkerAbortFrame,
  WorkerToJobFrame,
} from "./frames.js";
export { JOB_SOCKET_ENV } from "./job-socket-env.js";
export { DEFAULT_DEADLINES_MS, LIMITS } from "./limits.js";
export type { ParseResult } from "./parse.js";
export { parseJobToWorkerFrame, parseWorkerToJobFrame } from "./parsers.js";
