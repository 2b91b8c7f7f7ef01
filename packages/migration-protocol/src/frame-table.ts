// Generated from schemas.ts by frame-table.test.ts, so that a job need not load zod.

export const jobToWorkerFrame = {
  hello: {
    token: "string",
    "protocol?": "uint",
    "session?": "string",
    "client?": "string",
  },
  state: {
    payload: "json",
  },
  "state-refused": {
    reason: "string",
  },
  "target-ready": {
    payload: "json",
  },
  "source-stopped-output": {
    payload: "json",
  },
  "target-applied": {},
  abort: {
    reason: "string",
  },
} as const;

export const workerToJobFrame = {
  "hello-ack": {
    "migration?": {
      id: "string",
    },
    "protocol?": "uint",
    "worker?": "string",
    "epoch?": "uint",
    "limits?": {
      maxFrameBytes: "uint",
    },
    "pingIntervalMs?": "number",
  },
  "get-state": {
    migrationId: "string",
  },
  "initial-state": {
    migrationId: "string",
    payload: "json",
  },
  "cutover-ready": {
    migrationId: "string",
    payload: "json",
  },
  "cutover-apply": {
    migrationId: "string",
    payload: "json",
  },
  abort: {
    migrationId: "string",
    reason: "string",
  },
} as const;

export const jobToWorkerFrameV2 = {
  hello: {
    token: "string",
    "protocol?": "uint",
    "session?": "string",
    "client?": "string",
  },
  state: {
    migrationId: "string",
    seq: "uint",
    payload: "json",
  },
  "state-refused": {
    migrationId: "string",
    seq: "uint",
    reason: "string",
  },
  "target-ready": {
    migrationId: "string",
    seq: "uint",
    payload: "json",
  },
  "source-stopped-output": {
    migrationId: "string",
    seq: "uint",
    payload: "json",
  },
  "target-applied": {
    migrationId: "string",
    seq: "uint",
  },
  abort: {
    migrationId: "string",
    seq: "uint",
    reason: "string",
  },
  ping: {},
  pong: {},
} as const;

export const workerToJobFrameV2 = {
  "hello-ack": {
    "migration?": {
      id: "string",
    },
    "protocol?": "uint",
    "worker?": "string",
    "epoch?": "uint",
    "limits?": {
      maxFrameBytes: "uint",
    },
    "pingIntervalMs?": "number",
  },
  "get-state": {
    migrationId: "string",
    epoch: "uint",
    "deadlineMs?": "number",
  },
  "initial-state": {
    migrationId: "string",
    epoch: "uint",
    "deadlineMs?": "number",
    payload: "json",
  },
  "cutover-ready": {
    migrationId: "string",
    epoch: "uint",
    "deadlineMs?": "number",
    payload: "json",
  },
  "cutover-apply": {
    migrationId: "string",
    epoch: "uint",
    "deadlineMs?": "number",
    payload: "json",
  },
  abort: {
    migrationId: "string",
    epoch: "uint",
    "deadlineMs?": "number",
    reason: "string",
  },
  committed: {
    migrationId: "string",
    epoch: "uint",
  },
  "report-ack": {
    seq: "uint",
    "ignored?": "string",
  },
  ping: {},
  pong: {},
} as const;
