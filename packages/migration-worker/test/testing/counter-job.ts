import { connectMigration, type MigrationHandlers } from "@changeover/migration-client";
import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import type { JobInstance } from "../../src/testing/index.js";

/** A line of output: the number, and the epoch under which it was written. */
export interface Line {
  readonly epoch: number;
  readonly n: number;
  /** The migration that its writer was started for; undefined for the first instance. */
  readonly writer: string | undefined;
}

/** Where the instances of a job write to. */
export interface Output {
  readonly lines: Line[];
  /** The instances that write at this moment. */
  readonly active: Set<JobInstance>;
  /** The most instances that have been active at the same time. */
  mostActive: number;
}

export function newOutput(): Output {
  return { lines: [], active: new Set(), mostActive: 0 };
}

/** A counter that hands over. It writes a number every `tickMs` of the kit's clock, and takes all its time from there. */
export function counterJob(
  output: Output,
  overrides: MigrationHandlers = {},
  tickMs = 100,
): (instance: JobInstance) => Promise<void> {
  return async (instance) => {
    const { env, options, signal } = instance;
    const writer = env[JOB_SOCKET_ENV.migrationId];
    let n = 0;
    let epoch = 1;
    const setActive = (isActive: boolean): void => {
      if (isActive && !signal.aborted) output.active.add(instance);
      else output.active.delete(instance);
      output.mostActive = Math.max(output.mostActive, output.active.size);
    };
    signal.addEventListener("abort", () => setActive(false));
    const client = connectMigration(
      {
        onGetState: () => ({ n }),
        onInitialState: (state: { n: number }) => {
          n = state.n;
          client.reportReady({ n });
        },
        onCutoverReady: () => {
          setActive(false);
          client.reportStoppedOutput({ n });
        },
        onCutoverApply: (stopped: { n: number }, _id, context) => {
          n = stopped.n;
          epoch = context.epoch ?? epoch;
          setActive(true);
          client.reportApplied();
        },
        onAbort: (_reason, _id, context) => {
          epoch = context.epoch ?? epoch;
          setActive(client.role === "source");
        },
        ...overrides,
      },
      env,
      options,
    );
    signal.addEventListener("abort", () => client.close());
    const tick = (): void => {
      if (output.active.has(instance)) output.lines.push({ epoch, n: n++, writer });
      options.clock.setTimer(tick, tickMs);
    };
    tick();
    if ((await client.ready) === "source") setActive(true);
  };
}
