/** Something on its way to one end of a link. */
export interface Parcel {
  readonly description: string;
  readonly bytes: number;
  readonly delayMs: number;
  arrive(): void;
  lost(why: string): void;
}

/** Carries one parcel: calls `run` when it has arrived. */
export type Carry = (run: () => void, parcel: { description: string; sentAt: number; delayMs: number }) => void;

interface Sent {
  readonly parcel: Parcel;
  readonly sentAt: number;
}

/** One direction of a link: what is sent arrives in order, or it is lost with all that follows it. */
export class Lane {
  readonly #now: () => number;
  readonly #carry: Carry;
  #onTheWay: Sent[] = [];
  #lostBytes = 0;
  #blockedBecause: string | undefined;

  constructor(now: () => number, carry: Carry) {
    this.#now = now;
    this.#carry = carry;
  }

  /** What has been sent and has not arrived, as the sender's buffers know it. */
  get bytes(): number {
    return this.#onTheWay.reduce((sum, { parcel }) => sum + parcel.bytes, this.#lostBytes);
  }

  send(parcel: Parcel): void {
    if (this.#blockedBecause !== undefined) return this.#lose(parcel, this.#blockedBecause);
    this.#onTheWay.push({ parcel, sentAt: this.#now() });
    if (this.#onTheWay.length === 1) this.#next();
  }

  /** Loses what is on its way and whatever is sent from now on. */
  block(why: string): void {
    this.blockForNew(why);
    const lost = this.#onTheWay;
    this.#onTheWay = [];
    for (const { parcel } of lost) this.#lose(parcel, why);
  }

  /** Loses whatever is sent from now on; what is on its way arrives. */
  blockForNew(why: string): void {
    this.#blockedBecause ??= why;
  }

  #next(): void {
    const head = this.#onTheWay[0];
    if (!head) return;
    const { description, delayMs } = head.parcel;
    const arrive = (): void => {
      if (this.#onTheWay[0] !== head) return;
      this.#onTheWay.shift();
      head.parcel.arrive();
      this.#next();
    };
    this.#carry(arrive, { description, sentAt: head.sentAt, delayMs });
  }

  #lose(parcel: Parcel, why: string): void {
    this.#lostBytes += parcel.bytes;
    parcel.lost(why);
  }
}
