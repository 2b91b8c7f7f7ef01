/** What a handler gets as its last argument. */
export interface HandlerContext {
  /**
   * Fires when nobody wants the result of this call any more: the worker aborted the migration, the handler took
   * too long, (`onGetState` under version 1 only) its connection is gone, or the client was closed. Its `reason` is a
   * `MigrationClientError`.
   */
  readonly signal: AbortSignal;
  /**
   * The fencing epoch under which this instance writes once it has done what the call is about: it grows with every
   * handover of the job, so that shared storage can refuse a writer with an older one. Undefined where the worker
   * speaks version 1 of the protocol, which has none.
   */
  readonly epoch: number | undefined;
}

/**
 * What a job does in a handover. Every handler is optional, may return a promise, and is called with the object it
 * belongs to as `this`. Handlers run one at a time and in the order of the worker's commands, and each at most once
 * for a migration, except `onGetState` under a worker of version 1 of the protocol, which runs whenever it asks.
 *
 * A worker of version 2 says how long it waits. When nine tenths of that are over, a handler that has neither settled nor
 * reported what it was called for is called off by its signal, and the handover aborts with that reason.
 *
 * Only an abort does not wait its turn: it fires the signal of the running handler and waits for it no longer than a
 * second before `onAbort` is called.
 *
 * A payload travels as `JSON.stringify` makes it: a `Map` or a `Set` arrives as `{}`.
 *
 * Payloads are JSON that the other instance of the job made, hence `unknown`; a parameter may be annotated with the
 * type that the job knows it to be.
 */
export interface MigrationHandlers {
  /**
   * Source, first in every handover: will this job hand over, and with what state? The returned value is the state (a
   * promise is awaited; `undefined` is sent as `null`: yes, with nothing to hand over), a `stateRefusal(reason)` is a
   * no. Calling `reportState` or `refuseState` before the handler settles answers instead. An exception, a time-out
   * and a state that is no JSON or too large are refusals with that reason, and so is the lack of this handler.
   */
  onGetState?(migrationId: string, context: HandlerContext): unknown;
  /**
   * Target: the state of the source, if it handed one over. The target answers with `reportReady` when it can take
   * over. An exception aborts the handover.
   */
  onInitialState?(payload: unknown, migrationId: string, context: HandlerContext): unknown;
  /**
   * Source: stop the output at or after the position in the payload, then call `reportStoppedOutput`. An exception
   * aborts the handover, and so does the lack of this handler.
   */
  onCutoverReady?(payload: unknown, migrationId: string, context: HandlerContext): unknown;
  /**
   * Target: take over from the position in the payload, then call `reportApplied`. An exception aborts the handover,
   * and so does the lack of this handler.
   */
  onCutoverApply?(payload: unknown, migrationId: string, context: HandlerContext): unknown;
  /**
   * The handover ended without success: a source resumes, a target expects to be stopped. Under the option
   * `resumeAfterMs` also called when nothing was heard of the worker for that long.
   */
  onAbort?(reason: string, migrationId: string, context: HandlerContext): unknown;
  /**
   * The target has taken over for good: it is the active instance, and a source may release what it kept in order to
   * resume. A source that has resumed on its own (`resumeAfterMs`) has lost and stops. A worker of version 1 of the
   * protocol says nothing of the kind.
   */
  onCommitted?(migrationId: string, context: HandlerContext): unknown;
}
