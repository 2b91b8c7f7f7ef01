import { createMigrationClient, type MigrationClientDeps, type StartedClient } from "./create-migration-client.js";
import { readJobEnvironment, type MigrationEnv } from "./job-environment.js";
import { noOpClient } from "./no-op-client.js";
import { socketOpener } from "./open-socket.js";

/**
 * Connects to the worker that the environment names; where it names none the client does nothing.
 *
 * @throws MigrationClientError `invalid-environment`.
 */
export function startClient({
  env,
  ...deps
}: Pick<MigrationClientDeps, "handlers" | "listeners" | "options"> & { readonly env: MigrationEnv }): StartedClient {
  const environment = readJobEnvironment(env);
  if (!environment) return noOpClient();
  return createMigrationClient({
    ...deps,
    environment,
    sessionId: randomId(),
    openSocket: socketOpener(deps.options),
  });
}

// Not crypto.randomUUID: a page that came over plain http, as from a machine in the same network, has none.
function randomId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
