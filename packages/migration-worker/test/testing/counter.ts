import { connectMigration } from "@changeover/migration-client";
import type { JobInstance } from "@changeover/migration-worker/testing";

export const written: number[] = [];

export async function startCounter({ env, options, signal }: JobInstance): Promise<void> {
  let n = 0;
  let active = false;
  const job = connectMigration(
    {
      onGetState: () => n,
      onInitialState: (state) => job.reportReady((n = Number(state))),
      onCutoverReady: () => {
        active = false;
        job.reportStoppedOutput(n);
      },
      onCutoverApply: (stoppedAt) => {
        n = Number(stoppedAt);
        active = true;
        job.reportApplied();
      },
      onAbort: () => (active = job.role === "source"),
    },
    env,
    options,
  );
  const tick = (): void => {
    if (active && !signal.aborted) written.push(n++);
    options.clock.setTimer(tick, 100);
  };
  tick();
  if ((await job.ready) === "source") active = true;
}
