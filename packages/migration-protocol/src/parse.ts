import type * as z from "zod/mini";

/** What a parser returns: it never throws. A `reason` names the frame and the field, and never repeats a value. */
export type ParseResult<T> =
  | { ok: true; message: T }
  | {
      ok: false;
      reason: string;
      /** The frame's type where it is a string that this version does not know: a client skips such a frame. */
      unknownType?: string;
    };

type Issue = z.core.$ZodIssue;

/** Makes a parser of JSON text from a schema of frames that are told apart by `type`. */
export function frameParser<T>(schema: z.ZodMiniType<T>): (text: string) => ParseResult<T> {
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { ok: false, reason: "the frame is not JSON" };
    }
    const result = schema.safeParse(value);
    return result.success ? { ok: true, message: result.data } : refusal(value, result.error.issues[0]);
  };
}

function refusal(value: unknown, issue: Issue | undefined): Extract<ParseResult<never>, { ok: false }> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, reason: "the frame is not a JSON object" };
  }
  const type = "type" in value ? value.type : undefined;
  if (typeof type !== "string") return { ok: false, reason: 'the frame has no string field "type"' };
  if (issue === undefined || issue.code === "invalid_union") {
    const name = type.length > 40 ? `${type.slice(0, 40)}…` : type;
    return { ok: false, reason: `unknown frame type ${JSON.stringify(name)}`, unknownType: name };
  }
  const expected = issue.code === "invalid_type" ? issue.expected : issue.code;
  const found = expected === "nonoptional" ? "is missing" : `is missing or not of type ${expected}`;
  return { ok: false, reason: `${type}: "${issue.path.join(".")}" ${found}` };
}
