import type * as z from "zod/mini";
import {
  fieldFault,
  isFrame,
  notFrame,
  notJson,
  refusal,
  unknownFrame,
  type ParseResult,
  type Refusal,
} from "./parse.js";

/** Makes a parser of JSON text from a schema of frames that are told apart by `type`. */
export function schemaParser<T>(schema: z.ZodMiniType<T>): (text: string) => ParseResult<T> {
  return (text) => {
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      return notJson();
    }
    const result = schema.safeParse(frame);
    return result.success ? { ok: true, message: result.data } : refused(frame, result.error.issues[0]);
  };
}

function refused(frame: unknown, issue: z.core.$ZodIssue | undefined): Refusal {
  if (!isFrame(frame)) return notFrame(frame);
  const { type } = frame;
  if (issue === undefined || issue.code === "invalid_union") return unknownFrame(type);
  const expected = issue.code === "invalid_type" ? issue.expected : issue.code;
  const fault = fieldFault(issue.path.join("."), expected === "nonoptional" ? undefined : expected);
  return refusal(`${type}: ${fault}`);
}
