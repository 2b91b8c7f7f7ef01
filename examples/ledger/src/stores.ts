/** A line of the payments log. */
export interface Payment {
  readonly account: string;
  readonly amount: number;
}

/** The input: an append-only log, as a message broker keeps it. */
export interface Payments {
  /** The payment at an offset; undefined if none has arrived within a moment. */
  read(offset: number): Promise<Payment | undefined>;
}

/** The output: one statement for each payment, in order. */
export interface Statements {
  /** Shuts out whoever writes under an older epoch, and says how many statements there are. */
  open(epoch: number): Promise<number>;
  /** Adds a statement; false if it was refused, because a newer epoch has been opened. */
  append(epoch: number, statement: string): Promise<boolean>;
}
