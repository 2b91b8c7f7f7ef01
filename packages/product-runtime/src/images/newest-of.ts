/**
 * Runs work that reports values, and yields the newest of those that were not yielded yet: a reader who is slow misses
 * some and holds up nothing. Ends, or throws, as the work does.
 */
export async function* newestOf<T extends object>(
  work: (report: (value: T) => void) => Promise<void>,
): AsyncGenerator<T> {
  let newest: T | undefined;
  let isDone = false;
  let wake = (): void => {};
  const running = work((value) => {
    newest = value;
    wake();
  }).finally(() => {
    isDone = true;
    wake();
  });
  // The failure is thrown below, to a reader who may come late or never.
  running.catch(() => {});
  for (;;) {
    const value = newest;
    newest = undefined;
    if (value !== undefined) yield value;
    else if (isDone) break;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
  await running;
}
