const MAX_LENGTH = 60;

/** A wrong value as a message quotes it: strings in quotes, so that `"5"` is told from `5`, and objects by their type. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value);
    case "function":
      return "a function";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : "an object";
    default:
      return String(value);
  }
}
