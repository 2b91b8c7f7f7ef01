import type { TestInstance } from "./test-instance.js";
import type { Party } from "./test-plan.js";
import type { TraceEntry } from "./trace.js";

/** Who plays which part at the moment. */
export class Cast {
  readonly #instances: TestInstance[] = [];
  source: TestInstance | undefined;
  target: TestInstance | undefined;

  get instances(): readonly TestInstance[] {
    return this.#instances;
  }

  enter(as: "source" | "target", instance: TestInstance): void {
    this.#instances.push(instance);
    this[as] = instance;
  }

  /** The target is the job's active instance from now on. */
  promote(): void {
    this.source = this.target;
    this.target = undefined;
  }

  find(migrationId: string | undefined): TestInstance | undefined {
    return this.#instances.find((instance) => instance.migrationId === migrationId);
  }

  partyOf(instance: TestInstance): Exclude<Party, "worker"> | undefined {
    if (instance === this.source) return "source";
    return instance === this.target ? "target" : undefined;
  }

  letterOf(instance: TestInstance): NonNullable<TraceEntry["from"]> {
    const party = this.partyOf(instance);
    if (party === undefined) return "X";
    return party === "source" ? "S" : "T";
  }
}
