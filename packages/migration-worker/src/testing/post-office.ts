import { describeFrame, migrationOf, readFrame } from "./describe-frame.js";
import type { Cast } from "./cast.js";
import type { FaultSource } from "./fault-source.js";
import type { Examine } from "./link.js";
import type { TestInstance } from "./test-instance.js";
import type { Crash, MessageFault } from "./test-plan.js";
import type { Trace } from "./trace.js";

export interface PostOfficeOptions {
  readonly cast: Cast;
  readonly faults: FaultSource;
  readonly trace: Trace;
  readonly crash: (crash: Crash) => void;
}

/** Sees every message: writes it down, and lets happen to it what the plan says. */
export class PostOffice {
  readonly #options: PostOfficeOptions;
  #messages = 0;
  #faults = 0;

  constructor(options: PostOfficeOptions) {
    this.#options = options;
  }

  /** How many messages were sent, and to how many of them something happened. */
  get counts(): { messages: number; faults: number } {
    return { messages: this.#messages, faults: this.#faults };
  }

  examine(instance: TestInstance): Examine {
    const { cast, faults, trace, crash } = this.#options;
    return (from, text) => {
      const frame = readFrame(text);
      const migrationId = migrationOf(frame);
      if (migrationId !== undefined) trace.name(migrationId);
      const party = cast.partyOf(instance);
      const [sender, receiver] = from === "job" ? ([party, "worker"] as const) : (["worker", party] as const);
      const actions = faults.ofMessage(frame["type"], sender, receiver);
      this.#messages++;
      this.#faults += actions.length;
      const letter = cast.letterOf(instance);
      const description = describeFrame(frame);
      // Signs of life would drown the rest.
      const isShown = actions.length > 0 || (frame["type"] !== "ping" && frame["type"] !== "pong");
      const [source, destination] = from === "job" ? ([letter, "W"] as const) : (["W", letter] as const);
      const note = isShown ? trace.add(source, destination, description) : () => {};
      for (const action of actions) note(describeAction(action));
      const crashes = actions.filter((action): action is Crash => typeof action === "object" && "crash" in action);
      return {
        description: `${source} -> ${destination}  ${description}`,
        delayMs: actions.reduce((sum, action) => sum + (isDelay(action) ? action.delayMs : 0), 0),
        copies: actions.includes("drop") ? 0 : actions.includes("repeat") ? 2 : 1,
        arriving: (link) => {
          if (actions.includes("stall")) link.stall();
          if (actions.includes("cut")) link.break("the connection was cut");
          for (const each of crashes) if (each.crash === receiver) crash(each);
        },
        arrived: () => {
          for (const each of crashes) if (each.crash !== receiver) crash(each);
        },
        lost: (why) => note(`lost: ${why}`),
      };
    };
  }
}

function isDelay(action: MessageFault | Crash): action is { readonly delayMs: number } {
  return typeof action === "object" && "delayMs" in action;
}

function describeAction(action: MessageFault | Crash): string {
  if (typeof action === "string") return `fault: ${action}`;
  return isDelay(action) ? `fault: ${action.delayMs} ms late` : `fault: the ${action.crash} crashes`;
}
