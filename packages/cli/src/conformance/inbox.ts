/** What has happened and nobody has looked at yet, in order, for one reader at a time. */
export class Inbox<T> {
  readonly #items: T[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  put(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Nothing more comes: whoever waits is told at once. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The next item, waiting for it up to `withinMs`; undefined if none has come by then, or none can come any more. */
  async next(withinMs: number): Promise<T | undefined> {
    if (this.#items.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#items.shift();
  }
}
