import { closest, distance } from "fastest-levenshtein";

/** The name that was most likely meant, or `undefined` where none is near. */
export function suggest(written: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = written.toLowerCase();
  const byStart = lower.length < 3 ? [] : known.filter((name) => name.toLowerCase().startsWith(lower));
  if (byStart.length === 1) return byStart[0];
  const nearest = closest(
    lower,
    known.map((name) => name.toLowerCase()),
  );
  // Two letters that changed places count as two changes.
  const changes = distance(lower, nearest);
  const isNear = changes < lower.length && changes <= Math.ceil(nearest.length / 3);
  return isNear ? known.find((name) => name.toLowerCase() === nearest) : undefined;
}

/** What to say of a name that is none of these. */
export function unknownName(written: string, known: readonly string[]): string {
  const meant = suggest(written, known);
  return meant === undefined ? `is unknown; known are ${known.join(", ")}` : `is unknown; did you mean ${meant}?`;
}
