/** One line of what happened. */
export interface TraceEntry {
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  /**
   * Whose doing it is: `S` for the source, `T` for the target, `W` for the worker, `X` for an instance that is not part
   * of the job any more; absent where it is the plan's.
   */
  readonly from?: "S" | "T" | "W" | "X";
  /** To whom a message goes. */
  readonly to?: "S" | "T" | "W" | "X";
  /** A message as the protocol's own traces show it, an event of the worker, or a line that the client has logged. */
  readonly what: string;
  /** What became of a message other than to arrive. */
  readonly notes: readonly string[];
}

/** What happened in a test, in order. As a text it is numbered and aligned. */
export class Trace {
  readonly #entries: (TraceEntry & { notes: string[] })[] = [];
  readonly #migrations = new Map<string, string>();
  readonly #now: () => number;
  readonly #seed: number;
  #isClosed = false;

  constructor(now: () => number, seed: number) {
    this.#now = now;
    this.#seed = seed;
  }

  get entries(): readonly TraceEntry[] {
    return this.#entries;
  }

  /** Adds a line; what is returned adds a note to it. */
  add(from: TraceEntry["from"], to: TraceEntry["to"], what: string): (note: string) => void {
    if (this.#isClosed) return () => {};
    const notes: string[] = [];
    this.#entries.push({ atMs: this.#now(), ...(from && { from }), ...(to && { to }), what: this.#named(what), notes });
    return (note) => {
      if (!this.#isClosed) notes.push(this.#named(note));
    };
  }

  /** From now on this migration is shown as `m-1`, `m-2` …, so that two runs can be compared. */
  name(migrationId: string): void {
    if (!this.#migrations.has(migrationId)) this.#migrations.set(migrationId, `m-${this.#migrations.size + 1}`);
  }

  /** What happens from now on is no part of it. */
  close(): void {
    this.#isClosed = true;
  }

  toString(): string {
    const width = { number: String(this.#entries.length).length, time: String(Math.round(this.#now())).length };
    const lines = this.#entries.map(({ atMs, from = " ", to, what, notes }, index) => {
      const number = String(index + 1).padEnd(width.number);
      const time = String(Math.round(atMs)).padStart(width.time);
      const fate = notes.length === 0 ? "" : `      ${notes.join(", ")}`;
      return `${number}  ${time} ms  ${from}${to ? ` -> ${to}` : "     "}  ${what}${fate}`;
    });
    return [`seed ${this.#seed}`, ...lines].join("\n");
  }

  #named(text: string): string {
    let named = text;
    for (const [migrationId, name] of this.#migrations) named = named.replaceAll(migrationId, name);
    return named;
  }
}
