import type { Container } from "dockerode";
import { awaitReady } from "./await-ready.js";
import { pause, systemClock } from "./clock.js";
import type { ContainerWatch } from "./container-watch.js";
import { statusOf } from "./engine-response.js";
import { launching, type LaunchAttempt } from "./launch-attempt.js";
import { exitFailure, lastLines } from "./launch-failure.js";
import { probe, type ProbeResult } from "./probe.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { publishedPorts, type PublishedPort } from "./published-ports.js";
import { throwIfAborted } from "./with-deadline.js";

/** A product that cannot be asked is taken for ready when it has stayed up for this long. */
const STAYED_UP_MS = 1_000;

/** Longest pause between two requests to a product that is not ready yet. */
const READY_INTERVAL_MS = 100;

/** Waits for readiness, but for no longer than the container lives and the caller wants. */
export async function untilReady(
  attempt: LaunchAttempt,
  container: Container,
  watch: ContainerWatch,
): Promise<Readonly<Record<string, PublishedPort>>> {
  const { engine, manifest, choices, timeouts } = attempt;
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort(attempt.signal?.reason);
  attempt.signal?.addEventListener("abort", abort);
  if (attempt.signal?.aborted) abort();
  const exit = watch.gone.then((end): never => {
    throw exitFailure(choices, end);
  });
  const ready = async (): Promise<Readonly<Record<string, PublishedPort>>> => {
    const ports = await publishedPorts(engine, container, manifest, timeouts.engineMs).catch((error: unknown) => {
      // What the engine no longer knows has ended, and how is about to be told.
      if (error instanceof Error && statusOf(error.cause) === 404) return exit;
      throw error;
    });
    throwIfAborted(signal, launching(attempt));
    if (choices.role === "product") await answers(attempt, ports, signal);
    throwIfAborted(signal, launching(attempt));
    return ports;
  };
  try {
    return await Promise.race([exit, ready()]);
  } catch (error) {
    throw withOutput(error, watch);
  } finally {
    attempt.signal?.removeEventListener("abort", abort);
    controller.abort();
    exit.catch(() => {});
  }
}

async function answers(
  attempt: LaunchAttempt,
  ports: Readonly<Record<string, PublishedPort>>,
  signal: AbortSignal,
): Promise<void> {
  const { manifest, timeouts } = attempt;
  const { health } = manifest;
  const { control } = ports;
  if (health === undefined || control === undefined) {
    await pause(STAYED_UP_MS, systemClock, signal);
    return;
  }
  await awaitReady({
    what:
      `${launching(attempt)} until its port control (${manifest.ports.control} in the container) answers ` +
      `http://${control.host}:${control.port}${health.path} with 2xx`,
    probe: async (signal) => withListenHint(await probe(control, health.path, signal), manifest.ports.control),
    intervalMs: READY_INTERVAL_MS,
    timeoutMs: timeouts.readyMs,
    timeoutName: attempt.readyTimeoutName,
    signal,
    clock: systemClock,
  });
}

/** The engine publishes what listens on the container's own address, and a service on its loopback is not that. */
function withListenHint(result: ProbeResult, port: number | undefined): ProbeResult {
  if (result.isReady || result.isRefused !== true) return result;
  return { ...result, answer: `${result.answer}; inside the container the service must listen on 0.0.0.0:${port}` };
}

function withOutput(error: unknown, { tail }: ContainerWatch): unknown {
  if (!ProductRuntimeError.isInstance(error) || error.code !== "not-ready") return error;
  return new ProductRuntimeError(error.code, `${error.message}; ${lastLines(tail.texts)}`, { cause: error });
}
