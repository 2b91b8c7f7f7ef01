/** A frame of the client as it came: whether its fields are as they should be is what the rules find out. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

const maxShownLength = 60;

/** Reads a message; what is no frame at all becomes one whose type says so. */
export function readFrame(data: string, isBinary: boolean): Frame {
  if (isBinary) return { type: "a binary message" };
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return { type: "a text that is not JSON", text: data };
  }
  return isRecord(value) && hasType(value) ? value : { type: "JSON without a type", text: data };
}

/** A frame for a person: its type and its fields, long texts cut and the token hidden. */
export function showFrame({ type, ...fields }: Frame): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}: ${showValue(name === "token" ? "…" : value)}`);
  return shown.length === 0 ? type : `${type} {${shown.join(", ")}}`;
}

/** A value as JSON in which long texts are cut. */
export function showValue(value: unknown): string {
  return (
    JSON.stringify(value, (_name, each: unknown) =>
      typeof each === "string" && each.length > maxShownLength ? `${each.slice(0, maxShownLength)}…` : each,
    ) ?? "nothing"
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasType(value: Record<string, unknown>): value is Record<string, unknown> & { type: string } {
  return typeof value["type"] === "string";
}
