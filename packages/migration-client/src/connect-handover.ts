import { checkMethods } from "./check-methods.js";
import { declaredHandlers } from "./declared-handlers.js";
import type { HandoverClient } from "./handover-client.js";
import type { HandoverEventListener } from "./handover-event.js";
import type { HandoverJob } from "./handover-job.js";
import { checkHandoverOptions, type HandoverOptions } from "./handover-options.js";
import { processEnv, type MigrationEnv } from "./job-environment.js";
import { startClient } from "./start-client.js";

/**
 * Connects this job to the worker that its environment names, so that it can hand over to a fresh instance of itself,
 * or be that instance. Where the environment names none (`NORSK_WORKER_WS_URL` is not set) the client does nothing and
 * its role is `none`: a job calls this unconditionally.
 *
 * An instance whose role is not `target` produces the output from the start; a target does from `takeOver` on. The
 * client connects again for as long as it is not closed, and keeps the process alive meanwhile. No method of the job
 * is called before this function has returned.
 *
 * @param job - What the job does in a handover. `State` and `Position` are inferred from it or from `opts.schemas`.
 * @param env - Where to look for the worker's variables. Default: `process.env`, where there is one.
 * @param opts - Schemas, times, log and socket.
 * @throws MigrationClientError `invalid-environment` or `invalid-option`, the latter also where there is no worker.
 *
 * @example
 * ```ts
 * import { connectHandover } from "@changeover/migration-client";
 *
 * let position = 0;
 * let active = false;
 * const handover = connectHandover<{ position: number }, number>({
 *   getState: () => ({ position }),
 *   stopAt() {
 *     active = false;
 *     return position;
 *   },
 *   resume() {
 *     active = true;
 *   },
 *   adopt: (state) => state.position,
 *   takeOver(stoppedAt) {
 *     position = stoppedAt;
 *     active = true;
 *   },
 * });
 * if ((await handover.ready) !== "target") active = true;
 * setInterval(() => {
 *   if (active) position += 1;
 * }, 100);
 * ```
 */
export function connectHandover<State, Position>(
  job: HandoverJob<State, Position>,
  env: MigrationEnv = processEnv(),
  opts: HandoverOptions<State, Position> = {},
): HandoverClient {
  checkMethods("job", job, ["getState", "stopAt", "resume", "adopt", "takeOver"], ["released"]);
  const options = checkHandoverOptions(opts);
  // Only by it does a source that has resumed on its own hear that it has lost.
  if (options.resumeAfterMs !== null) checkMethods("with resumeAfterMs job", job, ["released"]);
  const listeners = new Set<HandoverEventListener>();
  const { client } = startClient({
    handlers: (emit) => declaredHandlers({ job, schemas: options.schemas, emit }),
    listeners,
    env,
    options,
  });
  const { signal } = opts;
  const { close: closeClient } = client;
  const close = (): Promise<void> => {
    signal?.removeEventListener("abort", close);
    return closeClient();
  };
  if (signal?.aborted) void close();
  else signal?.addEventListener("abort", close);
  // Keeps the getters: their object is the client.
  return Object.assign(client, {
    close,
    [Symbol.asyncDispose]: close,
    subscribe(listener: HandoverEventListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}
