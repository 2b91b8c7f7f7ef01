/**
 * Resolves as soon as `check` returns without throwing, looking again every 5 ms; rejects with its last error after
 * `withinMs` (15 s). For what real processes and sockets do in their own time.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 15_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
