import type { FieldKind, Fields, FrameOf, FrameTable } from "./frame-fields.js";
import { fieldFault, isFrame, isObject, notFrame, notJson, unknownFrame, type ParseResult } from "./parse.js";

/** What a field of each kind may hold. */
const holds: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  // JSON.parse makes Infinity of 1e999.
  number: Number.isFinite,
  uint: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  json: (value) => value !== undefined,
};

/** Makes a parser of JSON text from a table of frames. */
export function tableParser<const Table extends FrameTable>(
  table: Table,
): (text: string) => ParseResult<FrameOf<Table>> {
  return (text) => {
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      return notJson();
    }
    if (!isFrame(frame)) return notFrame();
    const { type } = frame;
    const fields = Object.hasOwn(table, type) ? table[type] : undefined;
    if (!fields) return unknownFrame(type);
    const message: Record<string, unknown> = { type };
    const wrong = copyFields(fields, frame, message);
    if (wrong) return fieldFault(type, ...wrong);
    // What was copied by a table is one of its frames.
    // oxlint-disable-next-line no-unsafe-type-assertion
    return { ok: true, message: message as FrameOf<Table> };
  };
}

/** The path of a field that is wrong, and what it should hold. */
type Wrong = readonly [path: string, kind: string];

/** Copies the fields that are known, up to the first one that is wrong. Returns that one, if there is one. */
function copyFields(
  fields: Fields,
  from: Readonly<Record<string, unknown>>,
  to: Record<string, unknown>,
  parent = "",
): Wrong | undefined {
  for (const [key, kind] of Object.entries(fields)) {
    const name = key.replace("?", "");
    const value = from[name];
    const path = parent + name;
    if (value === undefined && name !== key) continue;
    if (typeof kind === "string") {
      if (!holds[kind](value)) return [path, kind];
      to[name] = value;
    } else {
      if (!isObject(value)) return [path, "object"];
      const wrong = copyFields(kind, value, (to[name] = {}), `${path}.`);
      if (wrong) return wrong;
    }
  }
  return undefined;
}
