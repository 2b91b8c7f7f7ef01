/** What `work` comes to, or a rejection with the reason of the signal as soon as that fires. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
