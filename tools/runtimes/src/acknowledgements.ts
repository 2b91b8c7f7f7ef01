import type { Acknowledgement } from "./scripted-worker.js";

/** How scripted workers answer a hello. */
export const V2 = {
  protocol: 2,
  worker: "scripted/1",
  epoch: 1,
  limits: { maxFrameBytes: 1 << 23 },
  pingIntervalMs: 10_000,
} satisfies Acknowledgement;
export const TARGET_V2 = { ...V2, migration: { id: "m-1" } } satisfies Acknowledgement;
export const V1 = {} satisfies Acknowledgement;
export const TARGET_V1 = { migration: { id: "m-1" } } satisfies Acknowledgement;
