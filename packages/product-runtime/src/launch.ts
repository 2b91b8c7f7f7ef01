import { assertManifest, type Manifest } from "@changeover/manifest";
import type { Container, ContainerCreateOptions } from "dockerode";
import { resolveHardware } from "./accelerators/resolve-hardware.js";
import { watchContainer } from "./container-watch.js";
import { createOptions, environment } from "./create-options.js";
import { EngineContainer } from "./engine-container.js";
import { checkEngine, type Engine } from "./engine.js";
import { ensureImage } from "./ensure-image.js";
import { launching, type LaunchAttempt } from "./launch-attempt.js";
import { secretsGiven, validateChoices, type LaunchChoices } from "./launch-choices.js";
import { createFailure, startFailure, subjectOf } from "./launch-failure.js";
import { resolveTimeouts, type LaunchTimeouts } from "./launch-timeouts.js";
import type { LaunchedContainer } from "./launched-container.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { redactorFor } from "./redact.js";
import { removeContainer } from "./remove-container.js";
import { showValue } from "./show-value.js";
import { unknownKeys } from "./unknown-keys.js";
import { untilReady } from "./until-ready.js";
import { throwIfAborted, withDeadline } from "./with-deadline.js";

/** Options of {@link launch}. */
export interface LaunchOptions {
  /** Ends the launch, which then leaves nothing behind. Of no effect once it has resolved. */
  readonly signal?: AbortSignal;
  readonly timeouts?: LaunchTimeouts;
}

/**
 * Runs a container and resolves when it is ready:
 *
 * - a `product` whose manifest has `health`, when that answers with 2xx on its published port `control`;
 * - a `product` without, when it has stayed up for one second;
 * - a `job`, as soon as it has started: its readiness is a matter of its job socket, and `gone` tells of its end.
 *
 * It fails at once when the container ends before. When it fails or is aborted, nothing is left behind.
 *
 * @throws {@link ProductRuntimeError}, or `ManifestError` when the parameters or the accelerator do not fit the manifest.
 *
 * @example
 * ```ts
 * import { parseManifest } from "@changeover/manifest";
 * import { connectEngine, launch } from "@changeover/product-runtime";
 *
 * const manifest = parseManifest({ schemaVersion: 1, name: "encoder", health: { path: "/healthz" } });
 * const engine = await connectEngine();
 * const encoder = await launch(engine, manifest, { role: "product", name: "encoder-1", image: "example/encoder:1" });
 * console.log(encoder.ports.control);
 * await encoder.stop();
 * ```
 */
export async function launch(
  engine: Engine,
  manifest: Manifest,
  choices: LaunchChoices,
  options: LaunchOptions = {},
): Promise<LaunchedContainer> {
  checkEngine(engine);
  assertManifest(manifest);
  validateChoices(choices);
  checkOptions(options);
  const timeouts = resolveTimeouts(manifest, options.timeouts);
  const hardware = await resolveHardware(engine, manifest.accelerator, choices.accelerator);
  const creation = createOptions(manifest, choices, hardware);
  const redact = redactorFor(manifest, environment(manifest, choices), secretsGiven(choices));
  const readyTimeoutName = options.timeouts?.readyMs === undefined ? "health.startupTimeoutMs" : "timeouts.readyMs";
  const { signal } = options;
  const attempt: LaunchAttempt = {
    engine,
    manifest,
    choices,
    hardware,
    redact,
    timeouts,
    readyTimeoutName,
    signal,
  };

  throwIfAborted(signal, launching(attempt));
  await ensureImage(engine, choices.image, { policy: choices.pull, signal, timeoutMs: timeouts.pullMs });
  const container = await create(attempt, creation);
  try {
    return await start(attempt, container);
  } catch (error) {
    await removeFailed(container, error);
    throw error;
  }
}

const OPTIONS = Object.keys({ signal: true, timeouts: true } satisfies Record<keyof LaunchOptions, true>);

function checkOptions(options: LaunchOptions): void {
  const refuse = (problem: string): never => {
    throw new ProductRuntimeError("invalid-option", problem);
  };
  if (typeof options !== "object" || options === null) refuse(`options must be an object, is ${showValue(options)}`);
  for (const problem of unknownKeys(options, OPTIONS)) refuse(`options: ${problem}`);
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    refuse(`signal must be an AbortSignal, is ${showValue(signal)}`);
  }
}

/**
 * An engine finishes a creation and a start that nobody waits for any more, so neither is given up on when the caller
 * aborts: what they bring about could not be removed.
 */
async function create(attempt: LaunchAttempt, options: ContainerCreateOptions): Promise<Container> {
  const { engine, choices, redact, timeouts } = attempt;
  const creation = engine.docker.createContainer(options);
  const deadline = { what: `creating ${subjectOf(choices)}`, timeoutMs: timeouts.engineMs };
  try {
    return await withDeadline(deadline, () => creation);
  } catch (error) {
    creation.then(removeContainer).catch(() => {});
    throw createFailure(choices, error, redact);
  }
}

async function start(attempt: LaunchAttempt, container: Container): Promise<LaunchedContainer> {
  const { engine, choices, hardware, redact, timeouts, signal } = attempt;
  throwIfAborted(signal, launching(attempt));
  const engineTimeoutMs = timeouts.engineMs;
  const watch = await withDeadline({ what: `watching ${subjectOf(choices)}`, timeoutMs: engineTimeoutMs }, () =>
    watchContainer(engine, container, redact),
  );
  try {
    await withDeadline({ what: `starting ${subjectOf(choices)}`, timeoutMs: engineTimeoutMs }, () =>
      container.start(),
    ).catch((error: unknown) => {
      throw startFailure(choices, hardware, error, redact);
    });
    const ports = await untilReady(attempt, container, watch);
    return new EngineContainer({ engine, container, name: choices.name, ports, watch, redact, engineTimeoutMs });
  } catch (error) {
    watch.dispose();
    throw error;
  }
}

async function removeFailed(container: Container, cause: unknown): Promise<void> {
  try {
    await removeContainer(container);
  } catch (error) {
    if (!ProductRuntimeError.isInstance(error)) throw error;
    const first = cause instanceof Error ? cause.message : String(cause);
    throw new ProductRuntimeError(error.code, `${first}\nAnd then ${error.message}`, {
      cause: new AggregateError([cause, error]),
    });
  }
}
