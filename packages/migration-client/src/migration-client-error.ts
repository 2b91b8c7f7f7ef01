const brand: unique symbol = Symbol.for("@changeover/migration-client/MigrationClientError");

/**
 * Why a {@link MigrationClientError} was raised.
 *
 * | code | when |
 * | --- | --- |
 * | `invalid-environment` | when connecting: the worker's URL is no `ws:` or `wss:` URL, or its token is missing |
 * | `invalid-option` | when connecting: a handler or method is no function, or an option has a value that cannot work |
 * | `unserialisable-payload` | a report: its payload cannot be JSON |
 * | `invalid-payload` | `connectHandover`: a state or a position does not validate against its schema |
 * | `oversized-payload` | a report: its frame would be larger than a worker takes |
 * | `closed` | `ready` and the reason of a handler's signal: the client was closed or superseded |
 * | `aborted` | the reason of a handler's signal: the worker aborted the migration, or nothing was heard of it for `resumeAfterMs` |
 * | `timed-out` | the reason of a handler's signal: it took, or had to wait for, longer than it may: `onGetState`, or a cutover command of version 2 |
 * | `disconnected` | the reason of a handler's signal: the connection that asked for the state is gone, and its worker asks again |
 */
export type MigrationClientErrorCode =
  | "invalid-environment"
  | "invalid-option"
  | "unserialisable-payload"
  | "invalid-payload"
  | "oversized-payload"
  | "closed"
  | "aborted"
  | "timed-out"
  | "disconnected";

/**
 * What this package throws, rejects with, and gives as the reason of a handler's signal.
 *
 * @example
 * ```ts
 * import { connectMigration, MigrationClientError } from "@changeover/migration-client";
 *
 * const client = connectMigration({});
 * try {
 *   client.reportReady({ position: 42 });
 * } catch (error) {
 *   if (!MigrationClientError.isInstance(error) || error.code !== "oversized-payload") throw error;
 *   client.abort("the position is too large to report");
 * }
 * ```
 */
export class MigrationClientError extends Error {
  override readonly name = "MigrationClientError";
  readonly code: MigrationClientErrorCode;
  readonly [brand] = true;

  constructor(code: MigrationClientErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** Whether a value is such an error, of this copy of the package or of another one in the same process. */
  static isInstance(value: unknown): value is MigrationClientError {
    return value instanceof Error && brand in value;
  }
}
