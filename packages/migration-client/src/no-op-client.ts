import type { MigrationClient } from "./migration-client.js";

/** The client of a job that no worker manages: it has no role and does nothing. */
export function noOpClient(): MigrationClient {
  const nothing = (): void => {};
  return {
    role: "none",
    migrationId: undefined,
    epoch: undefined,
    connected: false,
    ready: Promise.resolve("none"),
    reportState: nothing,
    refuseState: nothing,
    reportReady: nothing,
    reportStoppedOutput: nothing,
    reportApplied: nothing,
    abort: nothing,
    close: () => Promise.resolve(),
  };
}
