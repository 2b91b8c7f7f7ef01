import * as z from "zod/mini";
import { PHASES } from "../handover/end.js";
import { phaseOf, type Handover, type Step } from "../handover/handover.js";
import { TRANSITION_TABLE } from "../handover/transition-table.js";
import type { InstanceState, JobState } from "./job-state.js";

const migrationId = z.string();
const count = z.number();
const stepNames = Object.keys(TRANSITION_TABLE);

/** What is written; an older one would be migrated. */
export const JOURNAL_VERSION = 1;

export const journalRecord = z.object({
  version: z.literal(JOURNAL_VERSION),
  jobId: z.string(),
  capabilities: z.array(z.string()),
  epoch: count,
  active: z.object({ tokenHash: z.string(), epoch: count, migrationId: z.exactOptional(migrationId) }),
  /** What the active instance must hear before it is asked anything new. */
  owed: z.exactOptional(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("abort"), migrationId, reason: z.string() }),
      z.object({ type: z.literal("committed"), migrationId, epoch: count }),
    ]),
  ),
  handover: z.exactOptional(
    z.object({
      migrationId,
      step: z.string().check(z.refine((name) => stepNames.includes(name), "it is no step of a handover")),
      phase: z.enum(PHASES),
      /** Why it was given up, where it was. */
      reason: z.exactOptional(z.string()),
      targetId: z.string(),
      /** The epoch of the target, from the moment that it is being placed until it is the active instance. */
      targetEpoch: z.exactOptional(count),
      /** How the source died, where it is known to be dead. */
      sourceGone: z.exactOptional(z.string()),
      fencingMs: count,
      onIndeterminate: z.enum(["hold", "resume"]),
    }),
  ),
});

/** What survives of a job when its worker dies. Tokens are kept as hashes; states and positions are not kept at all. */
export type JournalRecord = z.infer<typeof journalRecord>;

type HandoverRecord = NonNullable<JournalRecord["handover"]>;

/** What must be written down of a job. */
export function toRecord(names: { jobId: string; capabilities: readonly string[] }, job: JobState): JournalRecord {
  const { epoch, active } = job;
  const handover = handoverRecord(job);
  return {
    version: JOURNAL_VERSION,
    jobId: names.jobId,
    capabilities: [...names.capabilities],
    epoch,
    active: {
      tokenHash: active.id,
      epoch: active.epoch,
      ...(active.migrationId === undefined ? {} : { migrationId: active.migrationId }),
    },
    ...(active.owed === undefined ? {} : { owed: active.owed }),
    ...(handover === undefined ? {} : { handover }),
  };
}

/** The job of a record, as a worker that takes it over knows it: nobody is connected, and no state or position is known. */
export function fromRecord({ epoch, active, owed, handover }: JournalRecord): JobState {
  const instance: InstanceState = {
    id: active.tokenHash,
    side: "source",
    epoch: active.epoch,
    lastSeq: 0,
    ...(active.migrationId === undefined ? {} : { migrationId: active.migrationId }),
    ...(owed === undefined ? {} : { owed }),
  };
  if (!handover) return { epoch, active: instance };
  const { migrationId: id, targetId, targetEpoch, sourceGone, fencingMs, onIndeterminate } = handover;
  const rules: Handover = {
    migrationId: id,
    sourceLost: "abort",
    isDryRun: false,
    speaks: {},
    step: stepOf(handover),
    ...(sourceGone === undefined ? {} : { sourceGone }),
  };
  const job: JobState = { epoch, active: instance, handover: { rules, targetId, fencingMs, onIndeterminate } };
  if (targetEpoch === undefined) return job;
  return { ...job, other: { id: targetId, side: "target", migrationId: id, epoch: targetEpoch, lastSeq: 0 } };
}

function handoverRecord({ handover, other }: JobState): HandoverRecord | undefined {
  if (!handover) return undefined;
  const { rules, targetId, fencingMs, onIndeterminate } = handover;
  const { step, migrationId: id, sourceGone } = rules;
  const phase = phaseOf(step);
  if (phase === undefined) return undefined;
  return {
    migrationId: id,
    // Where it is not known whether the target is gone, the next worker tries again.
    step: step.at === "ended" ? "fence" : step.at,
    phase,
    ...(step.at === "fence" || step.at === "clear" ? { reason: step.reason } : {}),
    ...(step.at === "ended" && "reason" in step.end ? { reason: step.end.reason } : {}),
    targetId,
    ...(other?.id === targetId ? { targetEpoch: other.epoch } : {}),
    ...(sourceGone === undefined ? {} : { sourceGone }),
    fencingMs,
    onIndeterminate,
  };
}

function stepOf({ step, phase, reason = "" }: HandoverRecord): Step {
  switch (step) {
    case "fence":
    case "clear":
      return { at: step, phase, reason };
    case "place":
    case "ready":
      return { at: step, state: null };
    case "place.ready":
    case "stop.waiting":
    case "stop":
    case "apply.waiting":
    case "apply":
      return { at: step, position: null };
    case "propose":
    case "commit.waiting":
    case "commit":
      return { at: step };
    default:
      return { at: "propose.waiting" };
  }
}
