type Message<Call> = { id: number; call: Call } | { id: number; result?: unknown } | { id: number; error: string };

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Calls and their answers between two processes, each of which may call the other. */
export class CallChannel<Outgoing, Incoming> {
  readonly #send: (message: Message<Outgoing>) => void;
  readonly #carryOut: (call: Incoming) => unknown;
  readonly #waiting = new Map<number, Waiting>();
  #failure: Error | undefined;
  #lastId = 0;

  /** `send` takes a message to the other side; `carryOut` does what that side asks for, and returns the answer. */
  constructor(send: (message: Message<Outgoing>) => void, carryOut: (call: Incoming) => unknown) {
    this.#send = send;
    this.#carryOut = carryOut;
  }

  /** Resolves with the answer; rejects with what went wrong on the other side, or when the channel has failed. */
  call(call: Outgoing): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, call });
    });
  }

  /** Takes a message of the other side. */
  receive(message: unknown): void {
    if (!isMessage<Incoming>(message)) throw new TypeError("a message between the demo and its worker makes no sense");
    if ("call" in message) {
      void this.#answer(message.id, message.call);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.result);
  }

  /** Rejects every call from now on, those that wait for an answer included. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  async #answer(id: number, call: Incoming): Promise<void> {
    let answer: Message<Outgoing>;
    try {
      answer = { id, result: await this.#carryOut(call) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? error.message : String(error) };
    }
    if (!this.#failure) this.#send(answer);
  }
}

function isMessage<Call>(value: unknown): value is Message<Call> {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "number";
}
