/** What a job sends first on every connection: the secret that says which instance it is. */
export interface HelloFrame {
  type: "hello";
  token: string;
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

/** Every frame that a job may send to a worker. */
export type JobToWorkerFrame =
  | HelloFrame
  | StateFrame
  | StateRefusedFrame
  | TargetReadyFrame
  | SourceStoppedOutputFrame
  | TargetAppliedFrame
  | JobAbortFrame;

/** The worker knows the instance. With `migration` it is the target of that migration, without it the active one. */
export interface HelloAckFrame {
  type: "hello-ack";
  migration?: { id: string };
}

/** Asks the source whether it will hand over, and for its state. */
export interface GetStateFrame {
  type: "get-state";
  migrationId: string;
}

/** Brings the target what the source handed over. */
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

/** Every frame that a worker may send to a job. */
export type WorkerToJobFrame =
  HelloAckFrame | GetStateFrame | InitialStateFrame | CutoverReadyFrame | CutoverApplyFrame | WorkerAbortFrame;
