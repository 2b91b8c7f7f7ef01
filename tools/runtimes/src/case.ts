import type { Stage } from "./stage.js";

/** One behaviour, which throws where it is not met. */
export interface Case {
  readonly title: string;
  run(stage: Stage): Promise<void>;
}
