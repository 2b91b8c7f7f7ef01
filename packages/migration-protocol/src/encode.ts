import type { JobToWorkerFrame, JobToWorkerFrameV2, WorkerToJobFrame, WorkerToJobFrameV2 } from "./frames.js";

/**
 * The text of a frame that a job sends. A payload of `undefined` is sent as `null`, because JSON has no `undefined`.
 *
 * @throws TypeError when a payload cannot be JSON: a BigInt, a cycle, a `toJSON` that throws.
 */
export function encodeJobToWorkerFrame(frame: JobToWorkerFrame | JobToWorkerFrameV2): string {
  return encode(frame);
}

/**
 * The text of a frame that a worker sends. A payload of `undefined` is sent as `null`.
 *
 * @throws TypeError when a payload cannot be JSON.
 */
export function encodeWorkerToJobFrame(frame: WorkerToJobFrame | WorkerToJobFrameV2): string {
  return encode(frame);
}

function encode(frame: object): string {
  if (!("payload" in frame)) return JSON.stringify(frame);
  // A function, a symbol or a toJSON that returns undefined would make the field vanish without a word.
  const payload = frame.payload === undefined ? "null" : JSON.stringify(frame.payload);
  if (payload === undefined) throw new TypeError(`a ${typeof frame.payload} cannot be sent as JSON`);
  const { payload: _, ...envelope } = frame;
  return `${JSON.stringify(envelope).slice(0, -1)},"payload":${payload}}`;
}
