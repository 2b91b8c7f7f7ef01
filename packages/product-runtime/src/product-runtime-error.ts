import type { ContainerEnd } from "./container-end.js";

/**
 * Why a {@link ProductRuntimeError} was thrown.
 *
 * - `engine-unreachable`: no engine answers. The message lists what was tried.
 * - `engine-failed`: the engine answered with an error that has no code of its own here.
 * - `engine-timeout`: the engine did not answer in time.
 * - `invalid-option`: an option is wrong. The message names the options and their values.
 * - `image-not-found`, `image-unauthorised`, `image-registry-unreachable`: the image is missing and its registry says
 *   it does not exist, wants a login, or cannot be reached.
 * - `image-rate-limited`: the registry has given this address or account as many images as it allows for now.
 * - `image-incomplete`: the registry lacks a part of the image, or has a part that is damaged.
 * - `image-disk-failed`: the engine's host cannot store the image, most often because its disk is full.
 * - `credentials-failed`: the credentials for the image's registry cannot be read. The message says where.
 * - `image-pull-failed`: the image is missing and cannot be pulled for another reason.
 * - `image-build-failed`: an image could not be built or imported.
 * - `accelerator-unavailable`: the host or the engine does not have the accelerator that the product runs on.
 * - `name-taken`: another container has the name.
 * - `start-failed`: the engine could not start the container, for example because its command does not exist.
 * - `container-exited`: the container ended before it was ready. `end` tells how.
 * - `not-ready`: the container runs, and was not ready in time.
 * - `remove-failed`: the container could not be removed in time.
 * - `aborted`: the caller's signal ended the operation; `cause` is the signal's reason.
 */
export type ProductRuntimeErrorCode =
  | "engine-unreachable"
  | "engine-failed"
  | "engine-timeout"
  | "invalid-option"
  | "image-not-found"
  | "image-unauthorised"
  | "image-registry-unreachable"
  | "image-rate-limited"
  | "image-incomplete"
  | "image-disk-failed"
  | "credentials-failed"
  | "image-pull-failed"
  | "image-build-failed"
  | "accelerator-unavailable"
  | "name-taken"
  | "start-failed"
  | "container-exited"
  | "not-ready"
  | "remove-failed"
  | "aborted";

const brand = Symbol.for("@changeover/product-runtime/ProductRuntimeError");

/** Everything that this package throws, except a manifest's own `ManifestError`. No message shows a secret. */
export class ProductRuntimeError extends Error {
  override readonly name = "ProductRuntimeError";
  readonly code: ProductRuntimeErrorCode;
  /** How the container ended, with code `container-exited`. */
  declare readonly end?: ContainerEnd;

  constructor(code: ProductRuntimeErrorCode, message: string, details: { cause?: unknown; end?: ContainerEnd } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.end !== undefined) this.end = details.end;
  }

  get [brand](): true {
    return true;
  }

  /**
   * True for an error of this class, also one of another copy of this package: `instanceof` knows only its own.
   *
   * @example
   * ```ts
   * import { connectEngine, ProductRuntimeError } from "@changeover/product-runtime";
   *
   * try {
   *   await connectEngine();
   * } catch (error) {
   *   if (ProductRuntimeError.isInstance(error) && error.code === "engine-unreachable") console.error(error.message);
   * }
   * ```
   */
  static isInstance(value: unknown): value is ProductRuntimeError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
