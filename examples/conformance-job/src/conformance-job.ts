import {
  connectMigration,
  stateRefusal,
  type HandlerContext,
  type MigrationClient,
  type MigrationEnv,
} from "@changeover/migration-client";

/** What the worker of a conformance run tells the job to do. */
interface Instruction {
  n: number;
  delayMs?: number;
  abort?: string;
}

/** The job of docs/conformance.md: it holds a number, and does what its commands and its environment say. */
export function startConformanceJob(env: MigrationEnv): MigrationClient {
  const { CONFORMANCE_REFUSE, CONFORMANCE_STATE_DELAY_MS = "0", CONFORMANCE_FILLER_BYTES = "0" } = env;
  let n = 0;
  let active = false;
  let handled = 0;
  const position = () => ({ n, active, handled });
  /** Counts the call, waits, and says whether to go on: not if the handover has been aborted meanwhile. */
  const begin = async (delayMs: number, { signal }: HandlerContext): Promise<boolean> => {
    handled += 1;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return !signal.aborted;
  };

  const client = connectMigration(
    {
      onGetState: async (_migrationId, context) => {
        await begin(Number(CONFORMANCE_STATE_DELAY_MS), context);
        if (CONFORMANCE_REFUSE) return stateRefusal(CONFORMANCE_REFUSE);
        return { ...position(), filler: "x".repeat(Number(CONFORMANCE_FILLER_BYTES)) };
      },
      onInitialState: async (given: Instruction, _migrationId, context) => {
        if (!(await begin(given.delayMs ?? 0, context))) return;
        n = given.n;
        client.reportReady(position());
      },
      onCutoverReady: async (given: Instruction, _migrationId, context) => {
        if (!(await begin(given.delayMs ?? 0, context))) return;
        if (given.abort !== undefined) {
          client.abort(given.abort);
          return;
        }
        n = Math.max(n, given.n);
        active = false;
        client.reportStoppedOutput(position());
      },
      onCutoverApply: async (given: Instruction, _migrationId, context) => {
        if (!(await begin(given.delayMs ?? 0, context))) return;
        n = given.n;
        active = true;
        client.reportApplied();
      },
      onAbort: () => {
        handled += 1;
        active = client.role === "source";
      },
      onCommitted: () => {
        handled += 1;
      },
    },
    env,
    { reconnectMinMs: 50, reconnectMaxMs: 500, log: console.error },
  );
  void client.ready.then((role) => (active = role !== "target"));
  return client;
}
