import type { Stage } from "./stage.js";

/** One thing that the protocol asks of a client, and the sequence of frames that shows whether it does it. */
export interface Rule {
  /** Never given to another rule, for lists of expected failures name it. */
  readonly number: number;
  /** Reads on from "the client". */
  readonly title: string;
  /** Heading in docs/protocol.md under which it is said. */
  readonly paragraph: string;
  /** What the client is started as. Default: source. */
  readonly role?: "source" | "target";
  /** Environment by which the conformance job is told what to do, see docs/conformance.md. */
  readonly env?: Readonly<Record<string, string>>;
  /** Rejects with a {@link Violation} at the first thing that is not as it should be. */
  readonly check: (stage: Stage) => Promise<void>;
}
