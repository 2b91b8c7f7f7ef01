import { expectTypeOf, it } from "vitest";
import type { LaunchedContainer } from "./launched-container.js";

// The worker's interface, written out: worker and runtime do not know each other.
interface Placement {
  readonly gone: Promise<{ reason: string }>;
  remove(): Promise<void>;
}

it("can be the placement of an instance as it is", () => {
  expectTypeOf<LaunchedContainer>().toExtend<Placement>();
});
