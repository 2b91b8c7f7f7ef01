/** What an instance is to the worker: the active one, a fresh one that is to take over, or not managed at all. */
export type MigrationRole = "source" | "target" | "none";

/**
 * The job's side of the job socket. All methods may be called at any time and detached from the object.
 *
 * Reports that are made without a connection wait and are sent, in order, when there is one again, unless their
 * migration has ended. A worker of version 2 of the protocol acknowledges them: what it has not acknowledged is sent
 * again on the next connection. A report that belongs to no migration in progress is dropped with a log line.
 */
export interface MigrationClient {
  /** The acknowledged role; until then what the environment says. `get-state` makes an instance a source. */
  readonly role: MigrationRole;
  /** The migration in progress, as far as this instance knows. */
  readonly migrationId: string | undefined;
  /**
   * The fencing epoch under which this instance writes: it grows with every handover of the job, and storage that
   * refuses an older one is safe from an instance that does not know that it has been replaced. A target's is that of
   * its handover. Undefined until the worker has acknowledged the connection, and where it speaks version 1.
   */
  readonly epoch: number | undefined;
  /** Whether the worker has acknowledged the connection and it is open. */
  readonly connected: boolean;
  /**
   * The role, as soon as the worker has acknowledged it; before that nobody knows it. `none` at once where no worker
   * is configured. Rejects with a `MigrationClientError` of code `closed` if the client is closed before.
   */
  readonly ready: Promise<MigrationRole>;
  /**
   * Source: answers the `get-state` whose handler is running.
   *
   * @throws MigrationClientError `unserialisable-payload` or `oversized-payload`; the worker is told no in that case.
   */
  reportState(payload: unknown): void;
  /** Source: refuses the `get-state` whose handler is running. */
  refuseState(reason: string): void;
  /**
   * Target: it can take over from the position in `payload`.
   *
   * @throws MigrationClientError `unserialisable-payload` or `oversized-payload`.
   */
  reportReady(payload: unknown): void;
  /**
   * Source, after `onCutoverReady`: its output has stopped at the position in `payload`.
   *
   * @throws MigrationClientError `unserialisable-payload` or `oversized-payload`.
   */
  reportStoppedOutput(payload: unknown): void;
  /** Target, after `onCutoverApply`: it has taken over. */
  reportApplied(): void;
  /**
   * Gives the migration in progress up. The worker ends it and tells a source to resume, which calls `onAbort`.
   * While a `get-state` waits for its answer this is that answer, a refusal.
   */
  abort(reason: string): void;
  /**
   * Ends the client for good. At once: the signals of running handlers fire, no further handler is called, `connected` is
   * false and what is reported from then on is dropped. Reports that a worker of version 2 has not acknowledged yet are
   * given 1 s to be acknowledged, if they have a connection; without one they are lost. Then the connection is closed.
   *
   * Resolves, and never rejects, when nothing is left of the connection, at the latest another second later: a worker
   * that does not answer is not waited for (Node's own `WebSocket`, unlike `ws`, may still keep the process alive then).
   * Every call returns the same promise, and nobody has to await it.
   */
  close(): Promise<void>;
}
