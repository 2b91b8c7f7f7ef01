/** How many connections may wait for their `hello` at the same time. */
export interface AdmissionLimits {
  overall: number;
  perAddress: number;
}

/**
 * Counts the connections of which it is not yet known whose they are: whoever opens sockets and says nothing can hold
 * only so many of them, and those of one address cannot keep everybody else out.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #byAddress = new Map<string, number>();
  #overall = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Takes a place, or says why there is none. The place is given back by calling what is returned, once. */
  enter(address: string): (() => void) | "too many overall" | "too many from this address" {
    const fromAddress = this.#byAddress.get(address) ?? 0;
    if (this.#overall >= this.#limits.overall) return "too many overall";
    if (fromAddress >= this.#limits.perAddress) return "too many from this address";
    this.#overall++;
    this.#byAddress.set(address, fromAddress + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#overall--;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    };
  }
}
