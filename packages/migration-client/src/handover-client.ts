/// <reference lib="esnext.disposable" preserve="true" />
import type { HandoverEventListener } from "./handover-event.js";
import type { MigrationClient } from "./migration-client.js";

/**
 * A job's connection to its worker, made by `connectHandover`. All methods may be called at any time and detached from
 * the object. `await using` closes it at the end of a block.
 */
export interface HandoverClient
  extends
    Pick<MigrationClient, "role" | "migrationId" | "epoch" | "connected" | "ready" | "abort" | "close">,
    AsyncDisposable {
  /**
   * Calls `listener` for everything that happens from now on, until the returned function is called. A listener that
   * is added in the same turn of the event loop as the client is made misses nothing.
   */
  subscribe(listener: HandoverEventListener): () => void;
}
