/** The value of `find` as soon as it is neither undefined nor false; an error that says what did not come otherwise. */
export async function eventually<T>(what: string, find: () => T | undefined | false, withinMs = 10_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
