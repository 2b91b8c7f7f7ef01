const brand = Symbol.for("@changeover/manifest/Secret");
// Where console.log and util.inspect of Node, Bun and Deno look.
const inspect = Symbol.for("nodejs.util.inspect.custom");
const denoInspect = Symbol.for("Deno.customInspect");
const SHOWN = "[secret]";

/**
 * A value that cannot be shown by accident: in a text, in JSON, in a log and in an inspection it is `[secret]`. Only
 * {@link Secret.reveal} gives it away.
 *
 * @example
 * ```ts
 * import { Secret } from "@changeover/manifest";
 *
 * const key = new Secret("hunter2");
 * console.log(`${key}`, JSON.stringify({ key })); // [secret] {"key":"[secret]"}
 * console.log(key.reveal().length); // 7
 * ```
 */
export class Secret<Value extends string | Uint8Array = string> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** The value. Hand it to nothing but what needs it. */
  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  [inspect](): string {
    return SHOWN;
  }

  [denoInspect](): string {
    return SHOWN;
  }

  get [brand](): true {
    return true;
  }

  /** True for a secret, also one of another copy of this package: `instanceof` knows only its own. */
  static isInstance(value: unknown): value is Secret<string | Uint8Array> {
    return typeof value === "object" && value !== null && brand in value;
  }
}
