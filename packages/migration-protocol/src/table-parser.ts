import type { FieldKind, Fields, FrameOf, FrameTable } from "./frame-fields.js";
import {
  fieldFault,
  isFrame,
  isObject,
  notFrame,
  notJson,
  refusal,
  unknownFrame,
  type JsonObject,
  type ParseResult,
} from "./parse.js";

/** A field as it is looked for: the names of a table are taken apart once, and not for every frame. */
interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly holds: FieldKind | readonly Field[];
}

/** Makes a parser of JSON text from a table of frames. */
export function tableParser<const Table extends FrameTable>(
  table: Table,
): (text: string) => ParseResult<FrameOf<Table>> {
  const frames = new Map(Object.entries(table).map(([type, fields]) => [type, listFields(fields)]));
  return (text) => {
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      return notJson();
    }
    if (!isFrame(frame)) return notFrame(frame);
    const { type } = frame;
    const fields = frames.get(type);
    if (!fields) return unknownFrame(type);
    const message = { type };
    const fault = copyFields(fields, frame, message, "");
    return isSound<FrameOf<Table>>(message, fault) ? { ok: true, message } : refusal(`${type}: ${fault}`);
  };
}

function listFields(fields: Fields): readonly Field[] {
  return Object.entries(fields).map(([name, holds]) => ({
    name: name.replace("?", ""),
    isOptional: name.endsWith("?"),
    holds: typeof holds === "string" ? holds : listFields(holds),
  }));
}

/** Copies the fields that are known, up to the first one that is wrong. Returns how it is wrong, if there is one. */
function copyFields(
  fields: readonly Field[],
  from: JsonObject,
  to: Record<string, unknown>,
  parent: string,
): string | undefined {
  for (const { name, isOptional, holds } of fields) {
    const value = from[name];
    const path = parent + name;
    if (value === undefined) {
      if (isOptional) continue;
      if (holds === "json") return fieldFault(path);
    }
    if (typeof holds === "string") {
      const expected = holds === "json" ? undefined : expectedInstead(value, holds);
      if (expected) return fieldFault(path, expected);
      to[name] = value;
    } else {
      if (!isObject(value)) return fieldFault(path, "object");
      const fault = copyFields(holds, value, (to[name] = {}), `${path}.`);
      if (fault) return fault;
    }
  }
  return undefined;
}

/** What should be in the place of a value; undefined where the value is right. */
function expectedInstead(value: unknown, kind: FieldKind): string | undefined {
  if (kind === "string") return typeof value === "string" ? undefined : kind;
  // JSON.parse makes Infinity of 1e999.
  if (typeof value !== "number" || !Number.isFinite(value)) return "number";
  if (kind === "number") return undefined;
  if (!Number.isInteger(value)) return "int";
  if (value < 0) return "too_small";
  return value > Number.MAX_SAFE_INTEGER ? "too_big" : undefined;
}

/** What was copied by a table is one of its frames where nothing was wrong. */
function isSound<Frame extends object>(_message: object, fault: string | undefined): _message is Frame {
  return fault === undefined;
}
