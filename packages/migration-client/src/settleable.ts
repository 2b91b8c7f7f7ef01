/** A promise that is settled from outside. Whoever does not await it hears nothing of a rejection. */
export interface Settleable<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export function settleable<T>(): Settleable<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  // Without this a rejection that nobody awaits would end the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
