import type { Phase } from "../handover/end.js";
import { defaultRandomFaults, type CheckedPlan } from "./check-plan.js";
import type { Crash, Fault, MessageFault, Party } from "./test-plan.js";

/** Says what goes wrong, and when: as the plan has it, and at random. */
export class FaultSource {
  readonly #random: () => number;
  readonly #plan: CheckedPlan;
  readonly #seen = new Map<Fault, number>();
  #isHealed = false;

  constructor(plan: CheckedPlan, random: () => number) {
    this.#plan = plan;
    this.#random = random;
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.#isHealed = true;
  }

  /** `undefined` is an instance that is not part of the job any more. */
  ofMessage(frame: unknown, from: Party | undefined, to: Party | undefined): (MessageFault | Crash)[] {
    const planned = this.#plan.faults.flatMap((fault): (MessageFault | Crash)[] => {
      if (!("frame" in fault.at) || fault.at.frame !== frame) return [];
      if ((fault.at.from ?? from) !== from || (fault.at.to ?? to) !== to) return [];
      return this.#isDue(fault, fault.at.nth) ? [fault.do] : [];
    });
    const { random } = this.#plan;
    if (this.#isHealed || !random || this.#random() >= random.probability) return planned;
    const actions = random.do ?? defaultRandomFaults;
    const action = actions[Math.floor(this.#random() * actions.length)];
    return action === undefined ? planned : [...planned, action];
  }

  ofPhase(phase: Phase): ("cut" | "stall" | Crash)[] {
    return this.#plan.faults.flatMap((fault): ("cut" | "stall" | Crash)[] => {
      if (!("phase" in fault.at) || fault.at.phase !== phase || !this.#isDue(fault, fault.at.nth)) return [];
      return isOfPhase(fault.do) ? [fault.do] : [];
    });
  }

  #isDue(fault: Fault, nth = 1): boolean {
    const count = (this.#seen.get(fault) ?? 0) + 1;
    this.#seen.set(fault, count);
    return count === nth && !this.#isHealed;
  }
}

function isOfPhase(action: MessageFault | Crash): action is "cut" | "stall" | Crash {
  return typeof action === "string" ? action === "cut" || action === "stall" : "crash" in action;
}
