import { checkEngine, type Engine } from "../engine.js";
import { engineFailure, engineText, statusOf } from "../engine-response.js";
import { pullFailure } from "../image-failure.js";
import { ProductRuntimeError } from "../product-runtime-error.js";
import { progressLines } from "../progress-stream.js";
import { showValue } from "../show-value.js";
import { unknownKeys } from "../unknown-keys.js";
import { withDeadline } from "../with-deadline.js";
import { isImageId, parseImageReference } from "./image-reference.js";
import { newestOf } from "./newest-of.js";
import { PULL_POLICIES, type PullPolicy } from "./pull-policy.js";
import { completed, NO_PROGRESS, withLine, type PullProgress } from "./pull-progress.js";
import { registryCredentials } from "./registry-credentials.js";

/** Options of {@link pullImage} and `ensureImage`. */
export interface PullImageOptions {
  /** Default `always` for {@link pullImage}, and `if-missing` for `ensureImage`. */
  readonly policy?: PullPolicy | undefined;
  /** Ends the pull, at once for the caller and soon after on the engine. */
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number | undefined;
  /** Where DOCKER_CONFIG, HOME and, for credential helpers, PATH are read. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Pulls an image with the credentials that Docker's config file has for its registry, and yields how far it is. The
 * image is there when the loop ends without an error; leaving the loop early ends the pull. A name with neither tag nor
 * digest means `latest`. The pull begins with the first step of the loop, and a slow loop misses steps, not the end.
 *
 * @throws `ProductRuntimeError` with one of the `image-…` codes, `credentials-failed`, `invalid-option`,
 * `engine-timeout` or `aborted`.
 *
 * @example
 * ```ts
 * import { connectEngine, pullImage } from "@changeover/product-runtime";
 *
 * for await (const { fraction, layers } of pullImage(await connectEngine(), "node:22-slim")) {
 *   console.log(`${Math.floor(100 * fraction)} % of ${layers.length} layers`);
 * }
 * ```
 */
export async function* pullImage(
  engine: Engine,
  image: string,
  options: PullImageOptions = {},
): AsyncGenerator<PullProgress, void, undefined> {
  checkEngine(engine);
  checkOptions(image, options);
  const { policy = "always", signal, timeoutMs = 600_000, env = process.env } = options;
  const leaving = new AbortController();
  const forward = (): void => leaving.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener("abort", forward);
  const deadline = { what: `pulling the image ${JSON.stringify(image)}`, timeoutMs, signal: leaving.signal };
  try {
    yield* newestOf<PullProgress>((report) =>
      withDeadline(deadline, async (signal) => {
        if (await isPullDue(engine, image, policy)) await pull({ engine, image, env, signal, report });
      }),
    );
  } finally {
    signal?.removeEventListener("abort", forward);
    leaving.abort();
  }
}

/** Whether a value can be the name of an image. A pull, and the engine, know better, and say so. */
export function isImageName(value: unknown): value is string {
  return typeof value === "string" && /^\S+$/.test(value);
}

/** Id of an image that the engine has, or `undefined`. */
export async function imageId(engine: Engine, image: string): Promise<string | undefined> {
  try {
    return (await engine.docker.getImage(image).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineFailure(`looking for the image ${JSON.stringify(image)}`, error);
  }
}

const OPTIONS = Object.keys({
  policy: true,
  signal: true,
  timeoutMs: true,
  env: true,
} satisfies Record<keyof PullImageOptions, true>);

function checkOptions(image: string, options: PullImageOptions): void {
  const refuse = (problem: string): never => {
    throw new ProductRuntimeError("invalid-option", problem);
  };
  if (!isImageName(image)) refuse(`image must be the name of an image, is ${showValue(image)}`);
  for (const problem of unknownKeys(options, OPTIONS)) refuse(`options: ${problem}`);
  const { policy, timeoutMs } = options;
  if (policy !== undefined && !PULL_POLICIES.includes(policy)) {
    refuse(`policy must be one of ${PULL_POLICIES.join(", ")}, is ${showValue(policy)}`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) refuse(`timeoutMs must be above 0, is ${showValue(timeoutMs)}`);
}

async function isPullDue(engine: Engine, image: string, policy: PullPolicy): Promise<boolean> {
  const isId = isImageId(image);
  if (policy === "always" && !isId) return true;
  if ((await imageId(engine, image)) !== undefined) return false;
  if (policy === "if-missing" && !isId) return true;
  const why = isId ? "an id cannot be pulled: give its name" : "the pull policy is never: pull or load it first";
  throw new ProductRuntimeError(
    "image-not-found",
    `the image ${JSON.stringify(image)} is not on the engine, and ${why}`,
  );
}

interface Pull {
  readonly engine: Engine;
  readonly image: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly report: (progress: PullProgress) => void;
}

async function pull({ engine, image, env, signal, report }: Pull): Promise<void> {
  const { name, registry, version, hasDigest } = parseImageReference(image);
  const { auth, description: credentials } = await registryCredentials(registry, { env, signal });
  const failure = (text: string, cause?: unknown): ProductRuntimeError =>
    pullFailure({ image, name, registry, text, credentials, cause });
  const answer = await engine.docker
    .createImage(auth, { fromImage: name, tag: version, abortSignal: signal })
    .catch((cause: unknown) => {
      if (statusOf(cause) === undefined) throw engineFailure(`pulling the image ${JSON.stringify(image)}`, cause);
      throw failure(engineText(cause), cause);
    });
  let progress = NO_PROGRESS;
  let last: unknown;
  let problem = "the engine's answer ended before the pull did";
  for await (const line of progressLines(answer)) {
    if (line.kind === "failure") throw failure(line.text);
    if (line.kind === "stray") problem = line.text;
    else {
      last = line.progress;
      progress = withLine(progress, last);
      report(progress);
    }
  }
  const id = await imageId(engine, hasDigest ? `${name}@${version}` : `${name}:${version}`);
  if (id === undefined || !isEnd(last, id)) throw failure(problem);
  report(completed(progress));
}

/**
 * Whether this is how an answer ends when the pull has succeeded. That the image is there does not show it: it may be
 * the one of before. Docker ends with `Status: …`, and Podman with the image's id.
 */
function isEnd(last: unknown, imageId: string): boolean {
  const { status, id } = Object(last);
  if (typeof status !== "string") return false;
  const isOfPodman = status === "Download complete" && typeof id === "string" && id !== "";
  return status.startsWith("Status: ") || (isOfPodman && imageId.replace(/^sha256:/, "").startsWith(id));
}
