export { CLOSE_CODE, type CloseCode } from "./close-codes.js";
export { encodeJobToWorkerFrame, encodeWorkerToJobFrame } from "./encode.js";
export type {
  CommandFrame,
  CommandFrameV2,
  CommittedFrame,
  CutoverApplyFrame,
  CutoverReadyFrame,
  GetStateFrame,
  HelloAckFrame,
  HelloFrame,
  InitialStateFrame,
  JobAbortFrame,
  JobToWorkerFrame,
  JobToWorkerFrameV2,
  PingFrame,
  PongFrame,
  ReportAckFrame,
  ReportFrame,
  ReportFrameV2,
  SourceStoppedOutputFrame,
  StateFrame,
  StateRefusedFrame,
  TargetAppliedFrame,
  TargetReadyFrame,
  WorkerAbortFrame,
  WorkerToJobFrame,
  WorkerToJobFrameV2,
} from "./frames.js";
export { JOB_SOCKET_ENV } from "./job-socket-env.js";
export { DEFAULT_DEADLINES_MS, LIMITS } from "./limits.js";
export type { ParseResult } from "./parse.js";
export {
  parseJobToWorkerFrame,
  parseJobToWorkerFrameV2,
  parseWorkerToJobFrame,
  parseWorkerToJobFrameV2,
} from "./parsers.js";
export { PROTOCOL_VERSION } from "./protocol-version.js";
