// Symbol.for: two copies of this package in one process recognise each other's refusals.
const brand: unique symbol = Symbol.for("@changeover/migration-client/StateRefusal");

/** A no to a handover, made by {@link stateRefusal}. */
export interface StateRefusal {
  readonly reason: string;
  readonly [brand]: true;
}

/**
 * What `onGetState` returns to refuse a handover. The reason reaches the worker and is meant for a person.
 *
 * @example
 * ```ts
 * import { connectMigration, stateRefusal } from "@changeover/migration-client";
 *
 * const players = new Set<string>();
 * connectMigration({
 *   onGetState: () => (players.size > 0 ? stateRefusal("a match is being played") : { score: 0 }),
 * });
 * ```
 */
export function stateRefusal(reason: string): StateRefusal {
  return { reason, [brand]: true };
}

/** Whether a value was made by {@link stateRefusal}, in this copy of the package or in another one. */
export function isStateRefusal(value: unknown): value is StateRefusal {
  return typeof value === "object" && value !== null && brand in value;
}

/**
 * What `getState` returns to refuse a handover: the same as {@link stateRefusal}. The job goes on as before.
 *
 * @example
 * ```ts
 * import { connectHandover, refuse } from "@changeover/migration-client";
 *
 * let isPaused = false;
 * connectHandover<{ level: number }, number>({
 *   getState: () => (isPaused ? refuse("the game is paused") : { level: 7 }),
 *   stopAt: (tick) => tick,
 *   resume() {},
 *   adopt: ({ level }) => level,
 *   takeOver() {},
 * });
 * ```
 */
export { stateRefusal as refuse };
