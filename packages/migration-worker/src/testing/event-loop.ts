// Bound when this is loaded: a test that fakes timers must not stop the one clock that runs by itself.
const { setImmediate, setTimeout } = globalThis;

/** Real milliseconds without I/O after which none is to be expected: not all that is under way can be seen. */
const quietMs = 2;
/** Real milliseconds after which I/O is not waited for any longer: a listening server is never done. */
const patienceMs = 500;

/**
 * Tells when a process has nothing left to do but wait. What is under way when this is made (a test runner's pipes and
 * timers) does not count.
 */
export class EventLoop {
  #before = underWay();

  /** Resolves when promise callbacks and immediates that are queued have run, and all that they queue. */
  async drained(): Promise<void> {
    do await turn();
    while ((underWay().get("Immediate") ?? 0) > 0);
  }

  /** Whether I/O is pending. */
  get isBusy(): boolean {
    return [...underWay()].some(([type, count]) => count > (this.#before.get(type) ?? 0));
  }

  /** Resolves when no I/O has been pending for a moment. What never ends is from then on left out of account. */
  async quiet(): Promise<void> {
    const startedAt = performance.now();
    let quietSince = startedAt;
    for (;;) {
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
      await this.drained();
      const now = performance.now();
      if (this.isBusy) quietSince = now;
      if (now - quietSince >= quietMs) return;
      if (now - startedAt >= patienceMs) {
        this.#before = underWay();
        return;
      }
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function underWay(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
