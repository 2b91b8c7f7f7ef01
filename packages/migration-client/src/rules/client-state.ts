import { LIMITS, type HelloAckFrame, type ReportAckFrame } from "@changeover/migration-protocol";
import type { MigrationClientErrorCode } from "../migration-client-error.js";
import { EMPTY_OUTBOX, type OutboxState } from "./outbox.js";
import { newSession, type CommandFrame, type JobReportFrame, type SessionState } from "./session.js";
import { EMPTY_QUEUE, type QueueState, type Task } from "./task-queue.js";

/** What the rules need to know of the connection. Without one, `version` and `maxFrameBytes` are those of the last one. */
export interface LinkState {
  readonly isConnected: boolean;
  readonly version: 1 | 2;
  readonly maxFrameBytes: number;
}

/** The times that a job may set. */
export interface ClientTimes {
  readonly getStateTimeoutMs: number;
  /** Null: never. */
  readonly resumeAfterMs: number | null;
}

/** All that a client decides by: plain data, with null and not undefined, so that it is the same after `JSON.stringify`. */
export interface ClientState {
  readonly times: ClientTimes;
  readonly link: LinkState;
  readonly session: SessionState;
  readonly outbox: OutboxState;
  readonly queue: QueueState;
  /** A closed client that is connected waits for its last reports to be acknowledged. */
  readonly isClosed: boolean;
}

/** What happens to a client. A `task` is the key of a task that was run. */
export type ClientInput =
  | { readonly type: "acknowledged"; readonly ack: HelloAckFrame }
  /** An acknowledged connection is gone. */
  | { readonly type: "lost" }
  | { readonly type: "command"; readonly frame: CommandFrame }
  | { readonly type: "report-ack"; readonly ack: ReportAckFrame }
  /** A report was written to the socket, which is all that version 1 ever hears of it. */
  | { readonly type: "written"; readonly seq: number }
  /** The job reports; `text` is the frame as version 1 has it. */
  | {
      readonly type: "report";
      readonly method: string;
      readonly report: Exclude<JobReportFrame["type"], "abort">;
      readonly text: string;
    }
  /** The job gives up. */
  | { readonly type: "abort"; readonly reason: string }
  /** A question has its state; `text` is the `state` frame as version 1 has it. */
  | { readonly type: "answered"; readonly task: number; readonly method: string; readonly text: string }
  | { readonly type: "refused"; readonly task: number; readonly reason: string }
  /** The handler of a task has settled, after its answer where it was asked for one. */
  | { readonly type: "settled"; readonly task: number; readonly failure?: string | undefined }
  /** The job has no handler for a task. */
  | { readonly type: "no-handler"; readonly task: number }
  | { readonly type: "timed-out"; readonly task: number }
  | { readonly type: "grace-over"; readonly task: number }
  /** Nothing was heard of the worker for `resumeAfterMs`. */
  | { readonly type: "resume-due" }
  /** The client is closed or superseded, in which case its connection is gone already. */
  | { readonly type: "closed"; readonly why: string; readonly isConnected: boolean }
  /** The last reports were given enough time to be acknowledged. */
  | { readonly type: "flush-over" };

/** What is to be done, in this order. */
export type ClientEffect =
  | { readonly type: "log"; readonly line: string }
  /** Write a report to the connection, as its version has it; if that succeeds, say so by `written`. */
  | { readonly type: "send"; readonly seq: number; readonly text: string }
  /** Close the connection, or end the attempts to make one: the client is closed and waits for nothing more. */
  | { readonly type: "disconnect" }
  /** Fire the signal of a running handler. */
  | { readonly type: "fire"; readonly task: number; readonly code: MigrationClientErrorCode; readonly message: string }
  /** Call a handler. Always the last effect, for the handler may report at once. */
  | { readonly type: "run"; readonly task: Task };

export interface ClientStep {
  readonly state: ClientState;
  readonly effects: readonly ClientEffect[];
}

/** The client before its first connection. */
export function newClientState(
  role: "source" | "target",
  migrationId: string | undefined,
  { getStateTimeoutMs, resumeAfterMs }: ClientTimes,
): ClientState {
  return {
    times: { getStateTimeoutMs, resumeAfterMs },
    link: { isConnected: false, version: 1, maxFrameBytes: LIMITS.maxFrameBytes },
    session: newSession(role, migrationId),
    outbox: EMPTY_OUTBOX,
    queue: EMPTY_QUEUE,
    isClosed: false,
  };
}
