import type { Payment, Payments, Statements } from "../src/stores.js";

/** The same payments every time, without an end. */
export function paymentAt(offset: number): Payment {
  return { account: ["ann", "bob", "cy"][(offset * 7) % 3] ?? "", amount: (offset * 31) % 100 };
}

/** What the statements must be: those of one ledger that was never handed over. */
export function expectedStatements(count: number): string[] {
  const balances = new Map<string, number>();
  return Array.from({ length: count }, (_, offset) => {
    const { account, amount } = paymentAt(offset);
    const balance = (balances.get(account) ?? 0) + amount;
    balances.set(account, balance);
    return `${account} ${balance}`;
  });
}

/** Both stores in memory. What an instance has sent arrives also when that has died meanwhile. */
export class MemoryStores {
  readonly statements: string[] = [];
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #latenciesMs: readonly number[];
  #messages = 0;
  #epoch = 0;

  /** @param latenciesMs - How long messages take, one after the other, and again from the first one. */
  constructor(sleep: (ms: number) => Promise<void>, latenciesMs: readonly number[]) {
    this.#sleep = sleep;
    this.#latenciesMs = latenciesMs;
  }

  /** The stores as an instance sees them, which hears nothing any more once its signal has fired. */
  seenBy(signal: AbortSignal): { payments: Payments; statements: Statements } {
    const call = async <T>(answer: () => T): Promise<T> => {
      await this.#travel();
      const answered = answer();
      await this.#travel();
      return signal.aborted ? new Promise(() => {}) : answered;
    };
    return {
      payments: { read: (offset) => call(() => paymentAt(offset)) },
      statements: {
        open: (epoch) =>
          call(() => {
            this.#epoch = Math.max(this.#epoch, epoch);
            return this.statements.length;
          }),
        append: (epoch, statement) =>
          call(() => {
            if (epoch < this.#epoch) return false;
            this.statements.push(statement);
            return true;
          }),
      },
    };
  }

  #travel(): Promise<void> {
    return this.#sleep(this.#latenciesMs[this.#messages++ % this.#latenciesMs.length] ?? 0);
  }
}
