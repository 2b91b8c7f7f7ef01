import type { ClientCore, StartedClient } from "./create-migration-client.js";

/** The client of a job that no worker manages: it has no role and does nothing. */
export function noOpClient(): StartedClient {
  const client: ClientCore = {
    role: "none",
    migrationId: undefined,
    epoch: undefined,
    connected: false,
    ready: Promise.resolve("none"),
    abort() {},
    close: () => Promise.resolve(),
  };
  return { client, driver: undefined };
}
