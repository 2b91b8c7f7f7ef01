import type { HandlerContext } from "./migration-handlers.js";
import type { StateRefusal } from "./state-refusal.js";

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * What a job does in a handover. What a method returns is what the worker hears, so no answer can be forgotten or given
 * twice; what it throws ends the handover, and the instance that was active stays so. Methods may be asynchronous, run
 * one at a time and in order, are called with the job as `this`, and at most once for a handover.
 *
 * An instance may be a target first and a source later, so every job has both sides. `State` and `Position` are JSON,
 * or what the schemas make of it: a `Map` arrives as `{}`, a `Date` as a string.
 *
 * The `signal` in the last argument fires when nobody wants the result any more: the handover was aborted, its deadline
 * is over, or the client was closed. What a method returns after that is dropped.
 */
export interface HandoverJob<State, Position> {
  /**
   * Source, first in every handover: will this job hand over, and with what state? Must change nothing: the job goes on
   * as before until `stopAt`, and there is no further word if the handover ends before that. Returns what a fresh instance
   * needs to get ready, or {@link refuse}`(reason)`. `null` is a yes with nothing to hand over; under a worker of version 1
   * of the protocol, which could not tell the target, it is a refusal. `undefined` is a forgotten `return`, and an error.
   */
  getState(context: HandlerContext): MaybePromise<State | StateRefusal>;
  /**
   * Source: end the output at the first good place at or after the position, which is what `adopt` has returned in the
   * target. Returns where it has ended. Keep what comes due from there on, for `resume` may have to output it.
   */
  stopAt(position: Position, context: HandlerContext): MaybePromise<Position>;
  /**
   * Source: the handover has ended without success after `stopAt` was called, whether that has settled or not: go on
   * with the output where it was stopped. `epoch` is the one to write under from now on. What it throws is logged, and
   * nobody else hears of it: a job that cannot resume had better end its process, so that its worker sees it gone.
   */
  resume(reason: string, context: HandlerContext): unknown;
  /**
   * Source: the target has taken over for good, and what was kept in order to resume may go. The worker removes this
   * instance soon. A source that has resumed on its own (option `resumeAfterMs`, which requires this method) has lost
   * and stops its output. A worker of version 1 of the protocol says nothing of the kind.
   */
  released?(context: HandlerContext): unknown;
  /**
   * Target: get ready to go on from the state of the source, without any output. Returns the position from which this
   * instance can take over. The state is `null` if the source handed none over.
   */
  adopt(state: State, context: HandlerContext): MaybePromise<Position>;
  /**
   * Target: take over at the position, which is where the source has stopped: from now on this instance produces the
   * output, and writes under `epoch`. When the promise settles, it has. If the source has died, the position is the one
   * that `adopt` has returned, and the receiver of the output knows better how far the source got.
   */
  takeOver(position: Position, context: HandlerContext): unknown;
}
