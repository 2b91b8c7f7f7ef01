import type { Container } from "dockerode";
import { pause, systemClock } from "./clock.js";
import { connectionFailure, engineText, statusOf } from "./engine-response.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { withDeadline } from "./with-deadline.js";

const REMOVE_TIMEOUT_MS = 15_000;
const MAX_PAUSE_MS = 20;

/**
 * Kills and removes a container, and resolves when the engine no longer knows it. It asks until then: the engine
 * answers 409 while it removes the container already, and 500 when a mount was busy for a moment.
 */
export async function removeContainer(container: Container, timeoutMs = REMOVE_TIMEOUT_MS): Promise<void> {
  let last: unknown;
  try {
    await withDeadline({ what: "the removal", timeoutMs }, async (signal) => {
      for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        signal.throwIfAborted();
        try {
          await container.remove({ force: true, v: true, abortSignal: signal });
          return;
        } catch (error) {
          if (statusOf(error) === 404) return;
          last = error;
        }
        await pause(pauseMs, systemClock, signal);
      }
    });
  } catch (cause) {
    const id = container.id.slice(0, 12);
    const why = statusOf(last) === undefined ? connectionFailure(last ?? cause) : engineText(last);
    const message = `the container ${id} could not be removed within ${timeoutMs} ms: ${why}. Try: docker rm -f ${id}`;
    throw new ProductRuntimeError("remove-failed", message, { cause });
  }
}
