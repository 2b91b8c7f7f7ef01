import { checkMethods } from "./check-methods.js";
import { callbacks } from "./callbacks.js";
import type { ClientCore } from "./create-migration-client.js";
import type { Driver } from "./driver.js";
import { processEnv, type MigrationEnv } from "./job-environment.js";
import type { MigrationClient } from "./migration-client.js";
import { checkOptions, type MigrationClientOptions } from "./migration-client-options.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { CALLBACK_NAMES } from "./rules/handler-names.js";
import { startClient } from "./start-client.js";

/**
 * Connects this job to the worker that its environment names, so that it can hand over to a fresh instance of itself,
 * or be that instance. Where the environment names none (`NORSK_WORKER_WS_URL` is not set) the client does nothing and
 * its role is `none`: a job calls this unconditionally.
 *
 * The client connects again for as long as it is not closed, and keeps the process alive meanwhile (unless told
 * otherwise by `unref`). No handler is called before this function has returned.
 *
 * @param handlers - What the job does in a handover.
 * @param env - Where to look for the worker's variables. Default: `process.env`, where there is one.
 * @param opts - Times, log and socket.
 * @throws MigrationClientError `invalid-environment` or `invalid-option`, the latter also where there is no worker.
 *
 * @example
 * ```ts
 * import { connectMigration } from "@changeover/migration-client";
 *
 * let position = 0;
 * let active = false;
 * const client = connectMigration({
 *   onGetState: () => ({ position }),
 *   onInitialState(state: { position: number }) {
 *     position = state.position;
 *     client.reportReady({ position });
 *   },
 *   onCutoverReady() {
 *     active = false;
 *     client.reportStoppedOutput({ position });
 *   },
 *   onCutoverApply(stopped: { position: number }) {
 *     position = stopped.position;
 *     active = true;
 *     client.reportApplied();
 *   },
 *   onAbort() {
 *     active = client.role === "source";
 *   },
 * });
 * if ((await client.ready) !== "target") active = true;
 * setInterval(() => {
 *   if (active) position += 1;
 * }, 100);
 * ```
 */
export function connectMigration(
  handlers: MigrationHandlers,
  env: MigrationEnv = processEnv(),
  opts: MigrationClientOptions = {},
): MigrationClient {
  checkMethods("handlers", handlers, [], Object.values(CALLBACK_NAMES));
  const options = checkOptions(opts);
  const { client, driver } = startClient({ handlers: () => callbacks(handlers), listeners: [], env, options });
  // Keeps the getters: their object is the client.
  return Object.assign(client, reports(driver));
}

/** What a job tells of its own accord. */
export function reports(driver: Driver | undefined): Omit<MigrationClient, keyof ClientCore> {
  return {
    reportState: (payload) => driver?.reportState(payload),
    refuseState: (reason) => driver?.refuseState(reason),
    reportReady: (payload) => driver?.report("reportReady", { type: "target-ready", payload }),
    reportStoppedOutput: (payload) => driver?.report("reportStoppedOutput", { type: "source-stopped-output", payload }),
    reportApplied: () => driver?.report("reportApplied", { type: "target-applied" }),
  };
}
