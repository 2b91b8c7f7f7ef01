import { checkEngine, type Engine } from "./engine.js";
import { engineFailure, engineText, statusOf } from "./engine-response.js";
import { pullFailure } from "./image-failure.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { readProgress } from "./progress-stream.js";
import { showValue } from "./show-value.js";
import { withDeadline } from "./with-deadline.js";

/** Options of {@link ensureImage}. */
export interface EnsureImageOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long a pull may take, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Makes sure that the engine has an image: pulls it when it is missing, without credentials of its own.
 *
 * @throws `ProductRuntimeError` with one of the `image-…` codes, `invalid-option`, `engine-timeout` or `aborted`.
 *
 * @example
 * ```ts
 * import { connectEngine, ensureImage } from "@changeover/product-runtime";
 *
 * await ensureImage(await connectEngine(), "node:22-slim");
 * ```
 */
export async function ensureImage(engine: Engine, image: string, options: EnsureImageOptions = {}): Promise<void> {
  checkEngine(engine);
  if (!isImageName(image)) {
    throw new ProductRuntimeError("invalid-option", `image must be the name of an image, is ${showValue(image)}`);
  }
  const { signal, timeoutMs = 600_000 } = options;
  if (await hasImage(engine, image)) return;
  await withDeadline({ what: `pulling the image ${JSON.stringify(image)}`, timeoutMs, signal }, async (signal) => {
    const failure = await pull(engine, image, signal);
    if (failure !== undefined) throw pullFailure(image, failure.text, failure.cause);
    // A pull that ends early looks like one that succeeded.
    if (!(await hasImage(engine, image)))
      throw pullFailure(image, "the pull ended without an error and without the image");
  });
}

/** Whether a value can be the name of an image. The engine knows better, and says so. */
export function isImageName(value: unknown): value is string {
  return typeof value === "string" && /^\S+$/.test(value);
}

/** Whether the engine has an image. */
export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  try {
    await engine.docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw engineFailure(`looking for the image ${JSON.stringify(image)}`, error);
  }
}

async function pull(
  engine: Engine,
  image: string,
  signal: AbortSignal,
): Promise<{ text: string; cause?: unknown } | undefined> {
  let stream: NodeJS.ReadableStream;
  try {
    stream = await engine.docker.pull(image, { abortSignal: signal });
  } catch (cause) {
    if (statusOf(cause) === undefined) throw engineFailure(`pulling the image ${JSON.stringify(image)}`, cause);
    return { text: engineText(cause), cause };
  }
  const text = await readProgress(stream);
  return text === undefined ? undefined : { text };
}
