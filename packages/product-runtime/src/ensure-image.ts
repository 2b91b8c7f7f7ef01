import type { Engine } from "./engine.js";
import { imageId, pullImage, type PullImageOptions } from "./images/pull-image.js";

/**
 * Makes sure that the engine has an image: pulls it when it is missing, or as `policy` says, with the credentials that
 * Docker's config file has for its registry.
 *
 * @throws `ProductRuntimeError` as {@link pullImage}, which also tells how far it is.
 *
 * @example
 * ```ts
 * import { connectEngine, ensureImage } from "@changeover/product-runtime";
 *
 * await ensureImage(await connectEngine(), "node:22-slim");
 * ```
 */
export async function ensureImage(engine: Engine, image: string, options: PullImageOptions = {}): Promise<void> {
  const progress = pullImage(engine, image, { ...options, policy: options.policy ?? "if-missing" });
  while (!(await progress.next()).done);
}

export { isImageName } from "./images/pull-image.js";

/** Whether the engine has an image. */
export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  return (await imageId(engine, image)) !== undefined;
}
