/** What a parser returns: it never throws. A `reason` names the frame and the field, and never repeats a value. */
export type ParseResult<T> =
  | { ok: true; message: T }
  | {
      ok: false;
      reason: string;
      /** The frame's type where it is a string that this version does not know: a client skips such a frame. */
      unknownType?: string;
    };

export type Refusal = Extract<ParseResult<never>, { ok: false }>;

/** What was JSON, so that no field is undefined. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isFrame(value: unknown): value is JsonObject & { readonly type: string } {
  return isObject(value) && typeof value["type"] === "string";
}

export function refusal(reason: string): Refusal {
  return { ok: false, reason };
}

export function notJson(): Refusal {
  return refusal("the frame is not JSON");
}

/** Why a value is not a frame of any type. */
export function notFrame(value: unknown): Refusal {
  return refusal(isObject(value) ? 'the frame has no string field "type"' : "the frame is not a JSON object");
}

export function unknownFrame(type: string): Refusal {
  const unknownType = type.length > 40 ? `${type.slice(0, 40)}…` : type;
  return { ...refusal(`unknown frame type ${JSON.stringify(unknownType)}`), unknownType };
}

/** How a field is wrong. Without `expected` it is missing, and could be anything. */
export function fieldFault(path: string, expected?: string): string {
  return `"${path}" is missing${expected ? ` or not of type ${expected}` : ""}`;
}
