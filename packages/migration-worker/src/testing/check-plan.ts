import { MigrationWorkerError } from "../errors.js";
import { withDefaults } from "../handover/deadlines.js";
import { PHASES } from "../handover/end.js";
import type { FrameName, RandomFaults, TestPlan } from "./test-plan.js";

export type CheckedPlan = Required<Omit<TestPlan, "random" | "cancelAt">> & Pick<TestPlan, "random" | "cancelAt">;

export const defaultRandomFaults = ["drop", "repeat", "cut", "stall", { delayMs: 200 }] as const;

const frames = Object.keys({
  hello: true,
  state: true,
  "state-refused": true,
  "target-ready": true,
  "source-stopped-output": true,
  "target-applied": true,
  abort: true,
  ping: true,
  pong: true,
  "hello-ack": true,
  "get-state": true,
  "initial-state": true,
  "cutover-ready": true,
  "cutover-apply": true,
  "report-ack": true,
  committed: true,
} satisfies Record<FrameName, true>);
const fieldsOfPlan = Object.keys({
  seed: true,
  faults: true,
  random: true,
  handovers: true,
  pauseMs: true,
  deadlines: true,
  sourceLost: true,
  onIndeterminate: true,
  cancelAt: true,
  removal: true,
  latencyMs: true,
} satisfies Record<keyof TestPlan, true>);
const parties = ["source", "target", "worker"];
const messageFaults = ["drop", "repeat", "cut", "stall"];
const phaseFaults = ["cut", "stall"];

/** @throws MigrationWorkerError `invalid-option`, naming the field and its value. */
export function checkPlan(plan: TestPlan): CheckedPlan {
  const fields = known("plan", plan, fieldsOfPlan);
  const { seed = 1, faults = [], random, handovers = 1, pauseMs = 1_000, cancelAt, latencyMs = 1 } = plan;
  const { sourceLost = "promote", onIndeterminate = "hold", removal = "works" } = plan;
  if (!Number.isSafeInteger(seed)) throw invalid("seed", seed, "it must be an integer");
  if (!Number.isInteger(handovers) || handovers < 1) throw invalid("handovers", handovers, "it must be at least 1");
  duration("pauseMs", pauseMs);
  duration("latencyMs", latencyMs);
  oneOf("sourceLost", sourceLost, ["promote", "abort"]);
  oneOf("onIndeterminate", onIndeterminate, ["hold", "resume"]);
  oneOf("removal", removal, ["works", "fails"]);
  if (cancelAt !== undefined) oneOf("cancelAt", cancelAt, PHASES);
  const deadlines = withDefaults(plan.deadlines);
  if (!Array.isArray(faults)) throw invalid("faults", faults, "it must be an array");
  for (const [index, fault] of faults.entries()) checkFault(`faults[${index}]`, fault);
  if (fields["random"] !== undefined) checkRandom(fields["random"]);
  return {
    seed,
    faults,
    handovers,
    pauseMs,
    deadlines,
    sourceLost,
    onIndeterminate,
    removal,
    latencyMs,
    ...(random && { random }),
    ...(cancelAt && { cancelAt }),
  };
}

function checkRandom(value: unknown): void {
  const { probability, do: actions = defaultRandomFaults } = known("random", value, ["probability", "do"]) satisfies {
    [K in keyof RandomFaults]?: unknown;
  };
  if (typeof probability !== "number" || !(probability >= 0 && probability <= 1)) {
    throw invalid("random.probability", probability, "it must be a number from 0 to 1");
  }
  if (!Array.isArray(actions) || actions.length === 0)
    throw invalid("random.do", actions, "it must be a list of faults");
  for (const [index, action] of actions.entries()) checkAction(`random.do[${index}]`, action, messageFaults);
}

function checkFault(field: string, value: unknown): void {
  const { at, do: action } = known(field, value, ["at", "do"]);
  const isPhase = typeof at === "object" && at !== null && "phase" in at;
  const point = known(`${field}.at`, at, isPhase ? ["phase", "nth"] : ["frame", "from", "to", "nth"]);
  const { nth = 1 } = point;
  if (isPhase) oneOf(`${field}.at.phase`, point["phase"], PHASES);
  else oneOf(`${field}.at.frame`, point["frame"], frames);
  for (const end of ["from", "to"]) {
    if (point[end] !== undefined) oneOf(`${field}.at.${end}`, point[end], parties);
  }
  if (!Number.isInteger(nth) || Number(nth) < 1) throw invalid(`${field}.at.nth`, nth, "it must be an integer above 0");
  checkAction(`${field}.do`, action, isPhase ? phaseFaults : messageFaults);
}

function checkAction(field: string, action: unknown, names: readonly string[]): void {
  if (typeof action === "string") return oneOf(field, action, names);
  const isDelay = typeof action === "object" && action !== null && "delayMs" in action;
  if (isDelay && names === messageFaults)
    return duration(`${field}.delayMs`, known(field, action, ["delayMs"])["delayMs"]);
  const { crash, restartAfterMs } = known(field, action, ["crash", "restartAfterMs"]);
  oneOf(`${field}.crash`, crash, parties);
  if (restartAfterMs === undefined) return undefined;
  if (crash !== "worker") {
    throw invalid(
      `${field}.restartAfterMs`,
      restartAfterMs,
      `only a worker comes back, and it is the ${crash} that crashes`,
    );
  }
  return duration(`${field}.restartAfterMs`, restartAfterMs);
}

function known(field: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(field, value, `it must be an object of ${names.join(", ")}`);
  }
  for (const [name, part] of Object.entries(value)) {
    if (!names.includes(name))
      throw invalid(`${field}.${name}`, part, `there is no such field: use ${names.join(", ")}`);
  }
  return Object.fromEntries(Object.entries(value));
}

function oneOf(field: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== "string" || !names.includes(value)) {
    throw invalid(field, value, `it must be one of ${names.join(", ")}`);
  }
}

function duration(field: string, value: unknown): void {
  if (typeof value !== "number" || !(value >= 0 && value < 2 ** 31)) {
    throw invalid(field, value, "it must be a number of milliseconds");
  }
}

function invalid(field: string, value: unknown, rule: string): MigrationWorkerError {
  return new MigrationWorkerError("invalid-option", `${field} is ${JSON.stringify(value)}: ${rule}`);
}
