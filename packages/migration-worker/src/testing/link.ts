import { Lane, type Carry } from "./lane.js";

/** The two ends of a link. */
export type End = "job" | "worker";

/** What is at an end of a link. */
export interface LinkEnd {
  received(text: string): void;
  /** The link is over for this end: called once, and nothing follows it. */
  ended(code: number, reason: string): void;
}

/** What becomes of a message. */
export interface Passage {
  readonly description: string;
  readonly delayMs: number;
  /** How often it arrives. */
  readonly copies: 0 | 1 | 2;
  /** Called when it is about to arrive, and when it has. */
  arriving(link: Link): void;
  arrived(): void;
  lost(why: string): void;
}

export type Examine = (from: End, text: string) => Passage;

/** How long it takes until a connection is given up that has lost something, in milliseconds. */
export const lossNoticedAfterMs = 1_000;

const other = { job: "worker", worker: "job" } as const;

export interface LinkOptions {
  readonly ends: Record<End, LinkEnd>;
  now(): number;
  readonly carry: Carry;
  readonly examine: Examine;
  /** Calls `run` after a time in the world, whoever may have died meanwhile. */
  after(delayMs: number, run: () => void): void;
}

/** One connection between a job and a worker, with the manners of a WebSocket over TCP. */
export class Link {
  readonly #options: LinkOptions;
  /** By the end that they lead to. */
  readonly #lanes: Record<End, Lane>;
  readonly #isClosing = { job: false, worker: false };
  readonly #isOver = { job: false, worker: false };
  #brokenBy: string | undefined;
  #isSilent = false;

  constructor(options: LinkOptions) {
    const { now, carry } = options;
    this.#options = options;
    this.#lanes = { job: new Lane(now, carry), worker: new Lane(now, carry) };
  }

  /** Bytes that an end has sent and that have not arrived. */
  bufferedBytes(from: End): number {
    return this.#lanes[other[from]].bytes;
  }

  send(from: End, text: string): void {
    if (this.#isClosing[from] || this.#isOver[from]) return;
    const to = other[from];
    const lane = this.#lanes[to];
    const passage = this.#options.examine(from, text);
    const { description, delayMs, copies, lost } = passage;
    if (copies === 0) {
      // TCP delivers nothing behind a hole, and gives up in the end.
      lost("dropped");
      lane.blockForNew("it came after what was dropped");
      this.#options.after(lossNoticedAfterMs, () => this.break("the connection was given up"));
      return;
    }
    for (let copy = 1; copy <= copies; copy++) {
      const parcel = {
        description,
        bytes: Buffer.byteLength(text),
        delayMs,
        arrive: () => {
          if (copy === 1) passage.arriving(this);
          // What breaks the link as this is about to arrive takes it along.
          if (this.#brokenBy !== undefined) return lost(this.#brokenBy);
          if (this.#isOver[to]) return lost("its receiver had closed the connection");
          this.#options.ends[to].received(text);
          if (copy === copies) passage.arrived();
        },
        lost,
      };
      lane.send(parcel);
    }
  }

  /** Begins a close handshake. */
  close(from: End, code: number, reason: string): void {
    if (this.#isClosing[from] || this.#isOver[from]) return;
    this.#isClosing[from] = true;
    const to = other[from];
    this.#tell(to, `close ${code}`, () => {
      this.#end(to, code, reason);
      this.#tell(from, `close ${code}`, () => this.#end(from, code, reason));
    });
  }

  /** Cuts the connection from one side: this end knows at once, the other one when it hears of it. */
  terminate(from: End): void {
    if (this.#isOver[from]) return;
    this.#options.after(0, () => this.#end(from, 1006, ""));
    this.#loseAll("the connection was cut", [other[from]]);
  }

  /** The process at this end has died: it hears nothing any more, the other end hears of it. */
  died(from: End): void {
    this.#isOver[from] = true;
    this.#loseAll(from === "job" ? "the instance died" : "the worker died", [other[from]]);
  }

  /** Breaks the connection: what is on its way is lost, and both ends hear of it. */
  break(why: string): void {
    this.#loseAll(why, ["job", "worker"]);
  }

  /** From now on nothing arrives at either end, not even a close. */
  stall(): void {
    this.#isSilent = true;
    this.#block("the connection is silent");
  }

  #loseAll(why: string, listeners: readonly End[]): void {
    this.#block(why);
    if (this.#isSilent) return;
    for (const end of listeners) {
      if (this.#isOver[end]) continue;
      const { carry, now } = this.#options;
      const description = `the ${end}'s connection breaks`;
      carry(() => this.#end(end, 1006, ""), { description, sentAt: now(), delayMs: 0 });
    }
  }

  #block(why: string): void {
    this.#brokenBy ??= why;
    for (const lane of Object.values(this.#lanes)) lane.block(this.#brokenBy);
  }

  #tell(to: End, description: string, arrive: () => void): void {
    this.#lanes[to].send({ description, bytes: 0, delayMs: 0, arrive, lost: () => {} });
  }

  #end(end: End, code: number, reason: string): void {
    if (this.#isOver[end]) return;
    this.#isOver[end] = true;
    this.#options.ends[end].ended(code, reason);
  }
}
