/**
 * What a job sends first on every connection: the secret that says which instance it is. A client of version 2 adds the
 * other fields, all of them.
 */
export interface HelloFrame {
  type: "hello";
  token: string;
  /** Highest version of the protocol that the client speaks. */
  protocol?: number;
  /** Random id of the process: sequence numbers count within it. */
  session?: string;
  /** Name and version of the client, for people. */
  client?: string;
}

/** A source's yes to `get-state`, with what it hands over; a `payload` of `null` hands over nothing. */
export interface StateFrame {
  type: "state";
  payload: unknown;
}

/** A source's no to `get-state`. */
export interface StateRefusedFrame {
  type: "state-refused";
  reason: string;
}

/** A target can take over; `payload` is the position from which it can. */
export interface TargetReadyFrame {
  type: "target-ready";
  payload: unknown;
}

/** The source's output has stopped; `payload` is the position at which it did. */
export interface SourceStoppedOutputFrame {
  type: "source-stopped-output";
  payload: unknown;
}

/** The target has taken over. */
export interface TargetAppliedFrame {
  type: "target-applied";
}

/** A job gives the handover up. */
export interface JobAbortFrame {
  type: "abort";
  reason: string;
}

/** What a job tells its worker in a handover. */
export type ReportFrame =
  StateFrame | StateRefusedFrame | TargetReadyFrame | SourceStoppedOutputFrame | TargetAppliedFrame | JobAbortFrame;

/** Every frame that a job may send to a worker in version 1. */
export type JobToWorkerFrame = HelloFrame | ReportFrame;

/** A report of version 2: it is sent again after a reconnect until the worker has acknowledged it. */
export type ReportFrameV2 = ReportFrame & {
  migrationId: string;
  /** Counts the reports of a session, from 1. */
  seq: number;
};

/** Asks the other side for a sign of life; answered by `pong`. Version 2, either way. */
export interface PingFrame {
  type: "ping";
}

/** The answer to `ping`. Version 2, either way. */
export interface PongFrame {
  type: "pong";
}

/** Every frame that a job may send to a worker in version 2. */
export type JobToWorkerFrameV2 = HelloFrame | ReportFrameV2 | PingFrame | PongFrame;

/**
 * The worker knows the instance. With `migration` it is the target of that migration, without it the active one. With
 * `protocol: 2`, which a worker says only to a client that has said it, both speak version 2 on this connection, and the
 * other fields are there too.
 */
export interface HelloAckFrame {
  type: "hello-ack";
  migration?: { id: string };
  protocol?: number;
  /** Name and version of the worker, for people. */
  worker?: string;
  /** The fencing epoch under which this instance writes: that of its handover for a target. */
  epoch?: number;
  limits?: { maxFrameBytes: number };
  /** Either side that has heard nothing for this long asks for a sign of life; after twice as long the peer is dead. */
  pingIntervalMs?: number;
}

/** Asks the source whether it will hand over, and for its state. */
export interface GetStateFrame {
  type: "get-state";
  migrationId: string;
}

/** Brings the target what the source handed over; `null` if that is nothing, of which version 1 does not speak. */
export interface InitialStateFrame {
  type: "initial-state";
  migrationId: string;
  payload: unknown;
}

/** Tells the source to stop at or after the position in `payload`, which is what the target reported as ready. */
export interface CutoverReadyFrame {
  type: "cutover-ready";
  migrationId: string;
  payload: unknown;
}

/** Tells the target to take over from the position in `payload`, which is where the source stopped. */
export interface CutoverApplyFrame {
  type: "cutover-apply";
  migrationId: string;
  payload: unknown;
}

/** Ends the handover: the source carries on, the target expects to be stopped. */
export interface WorkerAbortFrame {
  type: "abort";
  migrationId: string;
  reason: string;
}

/** What a worker asks of a job in a handover. */
export type CommandFrame = GetStateFrame | InitialStateFrame | CutoverReadyFrame | CutoverApplyFrame | WorkerAbortFrame;

/** Every frame that a worker may send to a job in version 1. */
export type WorkerToJobFrame = HelloAckFrame | CommandFrame;

/** A command of version 2: it is sent again after a reconnect, and a job carries it out once per migration. */
export type CommandFrameV2 = CommandFrame & {
  /** The fencing epoch under which the receiver writes once it has done what the command says. */
  epoch: number;
  /** What is left of the deadline for the answer, in milliseconds; absent where none is expected. */
  deadlineMs?: number;
};

/** The target has taken over for good: it is the job's active instance, and the source may go. Version 2, to both. */
export interface CommittedFrame {
  type: "committed";
  migrationId: string;
  epoch: number;
}

/** The worker has a report, and it need not be sent again. Version 2. */
export interface ReportAckFrame {
  type: "report-ack";
  seq: number;
  /** Why the report changed nothing: it was late, or repeated. That is no fault of the job. */
  ignored?: string;
}

/** Every frame that a worker may send to a job in version 2. */
export type WorkerToJobFrameV2 =
  HelloAckFrame | CommandFrameV2 | CommittedFrame | ReportAckFrame | PingFrame | PongFrame;
