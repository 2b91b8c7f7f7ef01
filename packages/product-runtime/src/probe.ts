import { request } from "node:http";
import type { PublishedPort } from "./published-ports.js";

/**
 * What a request for readiness found. `answer` says why a product is not ready; `isRefused`, that the connection was
 * refused or cut, as it is when nothing listens behind the engine's proxy.
 */
export type ProbeResult =
  { readonly isReady: true } | { readonly isReady: false; readonly answer: string; readonly isRefused?: boolean };

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Asks once over HTTP; ready is any 2xx. TCP would not do: the engine's proxy accepts before anything listens behind it.
 */
export function probe(at: PublishedPort, path: string, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const failed = (answer: string): void => resolve({ isReady: false, answer });
    const asked = request({ host: at.host, port: at.port, path, agent: false, signal }, (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve({ isReady: true });
      else failed(`HTTP ${statusCode}`);
    });
    asked.setTimeout(PROBE_TIMEOUT_MS, () => {
      failed(`no answer within ${PROBE_TIMEOUT_MS} ms`);
      asked.destroy();
    });
    asked.on("error", (error) => {
      const isRefused = "code" in error && (error.code === "ECONNREFUSED" || error.code === "ECONNRESET");
      resolve({ isReady: false, answer: `no answer (${error.message})`, isRefused });
    });
    asked.end();
  });
}

/**
 * Pause before the next request: an eighth of the time so far, so that asking adds an eighth at most to a start of any
 * length, and a long start is not asked about a thousand times a second.
 */
export function probePauseMs(elapsedMs: number, intervalMs: number): number {
  return Math.min(intervalMs, Math.max(1, elapsedMs / 8));
}
