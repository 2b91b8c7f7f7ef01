import type { World } from "./world.js";

/** Gives equal values the same small number: most of a state is shared with those around it, and looked at once. */
export class Interner {
  readonly #byIdentity = new WeakMap<object, number>();
  readonly #byText = new Map<string, number>();

  numberOf(value: object | null): number {
    if (value === null) return -1;
    const known = this.#byIdentity.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    const number = this.#byText.get(text) ?? this.#byText.size;
    this.#byText.set(text, number);
    this.#byIdentity.set(value, number);
    return number;
  }
}

/** A text that two worlds share if and only if they are the same, but for the faults that are still to come. */
export function keyOf({ begun, worker, journal, processes, writer, end }: World, interner: Interner): string {
  const parts: unknown[] = [begun, interner.numberOf(journal), interner.numberOf(writer), end ?? ""];
  if (worker) {
    const { job, placing, removing, buried, lost } = worker;
    parts.push(interner.numberOf(job), placing && `${placing.id}${placing.isStarted}`, removing, buried, lost);
  }
  for (const [id, process] of Object.entries(processes)) {
    const { isAlive, client, link, isActive, epoch, hasResumedAlone, handled } = process;
    if (!isAlive) {
      parts.push(id, link.worker);
      continue;
    }
    const frames = (list: readonly object[]): string => list.map((frame) => interner.numberOf(frame)).join(",");
    parts.push(id, interner.numberOf(client), isActive, epoch, hasResumedAlone, handled.join());
    parts.push(link.client, link.worker, frames(link.toWorker), frames(link.toJob));
  }
  return parts.join("|");
}
