// A reason is a sentence for a person, not a dump: an error message can be megabytes.
const MAX_LENGTH = 1_000;

/** What was thrown or given as a reason, as one readable text that is never empty and never throws. */
export function describeError(value: unknown): string {
  const text = textOf(value).trim() || "no reason was given";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    if (!(value instanceof Error)) return value === undefined ? "" : String(value);
    // Node reports a refused connect to a name with two addresses as an AggregateError without a message.
    return value.message || ("code" in value ? String(value.code) : value.name);
  } catch {
    return "a value that cannot be shown was thrown";
  }
}
