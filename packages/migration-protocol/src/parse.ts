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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isFrame(value: unknown): value is Readonly<Record<string, unknown>> & { readonly type: string } {
  return isObject(value) && typeof value["type"] === "string";
}

export function notJson(): Refusal {
  return { ok: false, reason: "the frame is not JSON" };
}

export function notFrame(): Refusal {
  return { ok: false, reason: 'the frame is not a JSON object with a string "type"' };
}

export function unknownFrame(type: string): Refusal {
  const unknownType = type.length > 40 ? `${type.slice(0, 40)}…` : type;
  return { ok: false, reason: `unknown frame type ${JSON.stringify(unknownType)}`, unknownType };
}

/** A field holds nothing, or something of another kind. */
export function fieldFault(type: string, path: string, kind: string): Refusal {
  return { ok: false, reason: `${type}: "${path}" is missing or not of type ${kind}` };
}
