// Generated from schemas.ts by frame-table.test.ts, so that a job need not load zod.

export const jobToWorkerFrame = {
  hello: {
    token: "string",
    "protocol?": "count",
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
    "protocol?": "count",
    "worker?": "string",
    "epoch?": "count",
    "limits?": {
      maxFrameBytes: "count",
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
    "protocol?": "count",
    "session?": "string",
    "client?": "string",
  },
  state: {
    migrationId: "string",
    seq: "count",
    payload: "json",
  },
  "state-refused": {
    migrationId: "string",
    seq: "count",
    reason: "string",
  },
  "target-ready": {
    migrationId: "string",
    seq: "count",
    payload: "json",
  },
  "source-stopped-output": {
    migrationId: "string",
    seq: "count",
    payload: "json",
  },
  "target-applied": {
    migrationId: "string",
    seq: "count",
  },
  abort: {
    migrationId: "string",
    seq: "count",
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
    "protocol?": "count",
    "worker?": "string",
    "epoch?": "count",
    "limits?": {
      maxFrameBytes: "count",
    },
    "pingIntervalMs?": "number",
  },
  "get-state": {
    migrationId: "string",
    epoch: "count",
    "deadlineMs?": "number",
  },
  "initial-state": {
    migrationId: "string",
    epoch: "count",
    "deadlineMs?": "number",
    payload: "json",
  },
  "cutover-ready": {
    migrationId: "string",
    epoch: "count",
    "deadlineMs?": "number",
    payload: "json",
  },
  "cutover-apply": {
    migrationId: "string",
    epoch: "count",
    "deadlineMs?": "number",
    payload: "json",
  },
  abort: {
    migrationId: "string",
    epoch: "count",
    "deadlineMs?": "number",
    reason: "string",
  },
  committed: {
    migrationId: "string",
    epoch: "count",
  },
  "report-ack": {
    seq: "count",
    "ignored?": "string",
  },
  ping: {},
  pong: {},
} as const;
