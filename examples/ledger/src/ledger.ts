import {
  connectHandover,
  type HandlerContext,
  type HandoverJob,
  type HandoverOptions,
  type MigrationEnv,
} from "@changeover/migration-client";
import type { Payment, Payments, Statements } from "./stores.js";

/** All that a successor needs: the balances after so many payments. */
export interface LedgerState {
  readonly offset: number;
  readonly balances: Readonly<Record<string, number>>;
}

/** Reads payments and writes, after each of them, the balance of its account. Its position is the offset in the log. */
export class Ledger implements HandoverJob<LedgerState, number> {
  readonly #payments: Payments;
  readonly #statements: Statements;
  #state: LedgerState = { offset: 0, balances: {} };
  #isActive = false;
  #running: Promise<void> = Promise.resolve();

  constructor(payments: Payments, statements: Statements) {
    this.#payments = payments;
    this.#statements = statements;
  }

  getState(): LedgerState {
    return this.#state;
  }

  adopt(state: LedgerState): number {
    this.#state = state;
    return state.offset;
  }

  /** The source has passed the target's offset long ago: any offset is a good place. */
  async stopAt(): Promise<number> {
    this.#isActive = false;
    // Stopped means delivered: the last statement may still be on its way.
    await this.#running;
    return this.#state.offset;
  }

  /** The offset is where the source has stopped, and if it has died, where this instance began: the store knows better. */
  takeOver(_offset: number, { epoch }: HandlerContext): Promise<void> {
    return this.start(epoch);
  }

  /** A target may have written before it was removed: this instance catches up with that too. */
  resume(_reason: string, { epoch }: HandlerContext): Promise<void> {
    return this.start(epoch);
  }

  /** Produces output from where the statements end. A worker of version 1 knows no epochs. */
  async start(epoch = 0): Promise<void> {
    // A stop that was called off may not have come to its end.
    await this.#running;
    const written = await this.#statements.open(epoch);
    while (this.#state.offset < written) {
      const payment = await this.#payments.read(this.#state.offset);
      if (payment) this.#state = after(this.#state, payment);
    }
    this.#isActive = true;
    this.#running = this.#run(epoch);
  }

  async #run(epoch: number): Promise<void> {
    while (this.#isActive) {
      const payment = await this.#payments.read(this.#state.offset);
      if (!payment) continue;
      const next = after(this.#state, payment);
      const statement = `${payment.account} ${next.balances[payment.account]}`;
      // Refused: another instance has taken over, and this one has nothing more to say.
      if (!(await this.#statements.append(epoch, statement))) return;
      // Only now: a state must not be ahead of what has been delivered, or a target that steps in would leave it out.
      this.#state = next;
    }
  }
}

function after({ offset, balances }: LedgerState, { account, amount }: Payment): LedgerState {
  return { offset: offset + 1, balances: { ...balances, [account]: (balances[account] ?? 0) + amount } };
}

/** Starts an instance of the job. Without a worker it runs on its own. */
export async function startLedger(
  payments: Payments,
  statements: Statements,
  env?: MigrationEnv,
  opts?: HandoverOptions<LedgerState, number>,
): Promise<void> {
  const ledger = new Ledger(payments, statements);
  const handover = connectHandover(ledger, env, opts);
  if ((await handover.ready) !== "target") await ledger.start(handover.epoch);
}
