/** What is wrong with the keys of an object, by the name of each: a misspelt option is one that silently does nothing. */
export function* unknownKeys(given: object, known: readonly string[]): Generator<string> {
  for (const key of Object.keys(given)) {
    if (!known.includes(key)) yield `${key} is unknown; known are ${known.join(", ")}`;
  }
}
