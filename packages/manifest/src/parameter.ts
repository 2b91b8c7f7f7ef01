import type { Extensions } from "./extensions.js";

interface CommonFields extends Extensions {
  /** Whether a value must be given; a default is one. */
  readonly required: boolean;
  /** Tells whoever gives the value what it means. */
  readonly help?: string;
}

/** A text. */
export interface StringParameter extends CommonFields {
  readonly type: "string";
  /** A regular expression, as RE2 reads it, that the whole value must match. */
  readonly pattern?: string;
  /** Whether the value is kept out of every log, error, event and listing. */
  readonly secret: boolean;
  /** Used when nobody gives a value. A secret has none. */
  readonly default?: string;
}

/** A number, written in decimal. */
export interface NumberParameter extends CommonFields {
  readonly type: "number";
  readonly secret: false;
  /** Used when nobody gives a value. */
  readonly default?: number;
}

/** `true` or `false`. */
export interface BooleanParameter extends CommonFields {
  readonly type: "boolean";
  readonly secret: false;
  /** Used when nobody gives a value. */
  readonly default?: boolean;
}

/** One of several texts. */
export interface EnumParameter extends CommonFields {
  readonly type: "enum";
  readonly secret: false;
  readonly values: readonly string[];
  /** Used when nobody gives a value. */
  readonly default?: string;
}

/** A value that a product takes through its environment. */
export type Parameter = StringParameter | NumberParameter | BooleanParameter | EnumParameter;
