import type { Clock } from "../clock.js";
import type { Phase } from "../handover/end.js";
import type { Cast } from "./cast.js";
import type { FaultSource } from "./fault-source.js";
import type { MemoryNetwork } from "./memory-network.js";
import type { Crash } from "./test-plan.js";
import type { Trace } from "./trace.js";

export interface MishapsOptions {
  readonly clock: Clock;
  readonly trace: Trace;
  readonly cast: Cast;
  readonly network: MemoryNetwork;
  readonly faults: FaultSource;
  /** Ends the worker; false if there is none. */
  readonly crashWorker: (restartAfterMs: number) => boolean;
}

/** What goes wrong with more than one message: it happens to processes and to the network as a whole. */
export class Mishaps {
  readonly #options: MishapsOptions;
  #count = 0;

  constructor(options: MishapsOptions) {
    this.#options = options;
  }

  /** How much went wrong because a phase had begun. */
  get count(): number {
    return this.#count;
  }

  /** The worker has entered a phase: what the plan has for it happens next. */
  entered(phase: Phase): void {
    const { faults } = this.#options;
    for (const action of faults.ofPhase(phase)) {
      this.#count++;
      if (typeof action === "object") this.soon(() => this.crash(action));
      else this.soon(() => this.#breakAll(action, phase));
    }
  }

  /** Not while the worker is in the middle of what it does: what happens to a process happens between two messages. */
  soon(run: () => void): void {
    this.#options.clock.setTimer(run, 0);
  }

  crash({ crash, restartAfterMs = 1_000 }: Crash): void {
    const { cast, trace, crashWorker } = this.#options;
    if (crash === "worker") {
      if (crashWorker(restartAfterMs)) trace.add("W", undefined, "crashes");
      return;
    }
    const instance = cast[crash];
    if (instance?.isAlive !== true) return;
    trace.add(cast.letterOf(instance), undefined, "crashes");
    instance.crash("crashed");
  }

  #breakAll(how: "cut" | "stall", phase: Phase): void {
    const { trace, network } = this.#options;
    trace.add(undefined, undefined, `fault: ${how} of every connection in ${phase}`);
    if (how === "cut") network.cut("the connection was cut");
    else network.stall();
  }
}
