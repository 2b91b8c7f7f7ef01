import { pause, type Clock } from "./clock.js";
import { probePauseMs, type ProbeResult } from "./probe.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { withDeadline } from "./with-deadline.js";

/** How to find out that something is ready. */
export interface Readiness {
  readonly what: string;
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** What the time-out is called where it can be changed. */
  readonly timeoutName: string;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Probes until ready. Throws with code `not-ready` and the last answer when the time is over. */
export async function awaitReady(readiness: Readiness): Promise<void> {
  const { what, probe, intervalMs, timeoutMs, timeoutName, clock } = readiness;
  const startedAt = clock.now();
  let answer = "no answer yet";
  try {
    await withDeadline({ ...readiness, code: "not-ready" }, async (signal) => {
      while (!signal.aborted) {
        const result = await probe(signal);
        if (result.isReady) return;
        if (!signal.aborted) answer = result.answer;
        await pause(probePauseMs(clock.now() - startedAt, intervalMs), clock, signal);
      }
    });
  } catch (cause) {
    if (!ProductRuntimeError.isInstance(cause) || cause.code !== "not-ready") throw cause;
    const message = `${what} took longer than ${timeoutMs} ms (${timeoutName}): ${answer}`;
    throw new ProductRuntimeError("not-ready", message, { cause });
  }
}
