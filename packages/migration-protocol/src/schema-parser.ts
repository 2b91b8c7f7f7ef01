import type * as z from "zod/mini";
import { fieldFault, isFrame, notFrame, notJson, unknownFrame, type ParseResult, type Refusal } from "./parse.js";

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
  if (!isFrame(frame)) return notFrame();
  if (issue === undefined || issue.code === "invalid_union") return unknownFrame(frame.type);
  // In schemas.ts the message of every field is what it holds, but for JSON, which is wrong only where it is missing.
  const isMissingJson = issue.code === "invalid_type" && issue.expected === "nonoptional";
  return fieldFault(frame.type, issue.path.join("."), isMissingJson ? "json" : issue.message);
}
