import type { CommandFrame, CommittedFrame, WorkerAbortFrame } from "@changeover/migration-protocol";
import type { End } from "../handover/end.js";
import type { Effect, Handover, Input, Side, SourceLost } from "../handover/handover.js";
import { begin, transition } from "../handover/transition.js";
import type { Report } from "../job-connection.js";
import type { OnIndeterminate } from "../migration-worker.js";
import {
  instanceById,
  instanceOn,
  mayReport,
  sideOf,
  withInstance,
  type HandoverState,
  type InstanceState,
  type JobState,
} from "./job-state.js";

export interface BeginInput {
  readonly type: "begin";
  readonly migrationId: string;
  readonly targetId: string;
  readonly sourceLost: SourceLost;
  readonly onIndeterminate: OnIndeterminate;
  readonly isDryRun: boolean;
  readonly fencingMs: number;
}

/** What can happen to a job. Instances are named by their ids. */
export type JobInput =
  | BeginInput
  | { readonly type: "hello"; readonly from: string; readonly version: 1 | 2; readonly session?: string | undefined }
  | { readonly type: "closed"; readonly from: string }
  | { readonly type: "report"; readonly from: string; readonly report: Report }
  | { readonly type: "gone"; readonly who: string; readonly reason: string }
  /** An instance has a new placement: one that was gone has been started again. */
  | { readonly type: "attached"; readonly who: string }
  /** What the world tells the handover in flight. */
  | { readonly type: "handover"; readonly migrationId: string; readonly input: Input };

/** What has to be done, in this order. */
export type JobEffect =
  /**
   * Write the job down. Where that is required and fails, nothing that follows may happen: see {@link withheld}. Where
   * it is not, what follows is owed to an instance all the same, for a full disk must leave nobody stopped.
   */
  | { readonly type: "write"; readonly isRequired: boolean }
  | {
      readonly type: "send";
      readonly to: string;
      readonly frame: CommandFrame | CommittedFrame;
      /** The epoch under which the receiver writes once it has done what the frame says. */
      readonly epoch: number;
    }
  | { readonly type: "place" }
  | { readonly type: "remove"; readonly side: Side }
  | { readonly type: "resuming"; readonly migrationId: string; readonly reason: string }
  | { readonly type: "ignored"; readonly what: string; readonly reason: string }
  | { readonly type: "ended"; readonly migrationId: string; readonly end: End };

export interface JobTransition {
  readonly job: JobState;
  readonly effects: readonly JobEffect[];
  /** A report that its sender can never make. */
  readonly violation?: string;
  /** Why a report changed nothing. */
  readonly ignored?: string;
}

/** Before it is decided when the job is written down. */
interface Decision extends JobTransition {
  readonly mustWrite?: boolean;
  /** What is owed from before, and so is written down already. */
  readonly owed?: readonly JobEffect[];
}

/** What an input does to a job and what has to be done. Pure. Drives production, tests and checks alike. */
export function jobTransition(job: JobState, input: JobInput): JobTransition {
  switch (input.type) {
    case "begin":
      return inOrder(begun(job, input));
    case "hello":
      return inOrder(greeted(job, input));
    case "closed":
      return inOrder(closed(job, input.from));
    case "report":
      return reported(job, input.from, input.report);
    case "gone":
      return inOrder(gone(job, input));
    case "attached":
      return attached(job, input.who);
    case "handover":
      if (job.handover?.rules.migrationId !== input.migrationId) return { job, effects: [] };
      return inOrder(advance(job, input.input));
  }
}

/**
 * The job where what was to follow from a transition could not be written down: no step is made and nobody is promoted.
 * What was learned of connections, of reports taken and of deaths stays.
 */
export function withheld(before: JobState, after: JobState): JobState {
  const handover = after.handover ?? before.handover;
  if (!handover) return after;
  const rules: Handover = { ...handover.rules, step: before.handover?.rules.step ?? { at: "propose.waiting" } };
  const other = before.other && learned(before.other, after);
  const job = { ...before, epoch: before.handover ? before.epoch : after.epoch, active: learned(before.active, after) };
  return { ...job, ...(other ? { other } : {}), handover: { ...handover, rules } };
}

function learned(before: InstanceState, job: JobState): InstanceState {
  const { owed: _, ...after } = instanceById(job, before.id) ?? before;
  const { side, epoch, owed } = before;
  return { ...after, side, epoch, ...(owed === undefined ? {} : { owed }) };
}

/**
 * Puts the write where it belongs. Before what is new: a worker that dies right after it must know what it has begun.
 * After what undoes or ends a handover: its instances wait for that, and an end that nobody has heard of is told again.
 */
function inOrder({ job, effects, mustWrite, owed = [], ...reception }: Decision): JobTransition {
  const write = { type: "write", isRequired: mustWrite === true } as const;
  const isLast = !write.isRequired && effects.some(undoes);
  const ordered = isLast ? [...effects, write] : [write, ...effects];
  return { job, effects: [...owed, ...ordered], ...reception };
}

/** Whether what is asked for must not happen unless a worker that dies right after it would know of it. */
function mustBeWritten(effect: Effect): boolean {
  if (effect.type === "promote") return effect.mustBeWritten;
  return effect.type === "place" || (effect.type === "send" && effect.frame.type !== "abort");
}

function undoes(effect: JobEffect): boolean {
  return (
    effect.type === "ended" || effect.type === "resuming" || (effect.type === "remove" && effect.side === "target")
  );
}

function begun(job: JobState, { migrationId, targetId, sourceLost, onIndeterminate, isDryRun, fencingMs }: BeginInput) {
  const { handover: rules, effects } = begin({ migrationId, sourceLost, isDryRun }, job.active.version);
  const epoch = isDryRun ? job.epoch : job.epoch + 1;
  const begins = carriedOut({ ...job, epoch, handover: { rules, targetId, onIndeterminate, fencingMs } }, effects);
  const { gone: reason } = job.active;
  if (reason === undefined) return begins;
  const dead = advance(begins.job, { type: "gone", side: "source", reason });
  return { ...dead, effects: [...begins.effects, ...dead.effects] };
}

function greeted(job: JobState, { from, version, session }: Extract<JobInput, { type: "hello" }>): Decision {
  const known = instanceById(job, from);
  if (!known) return { job, effects: [] };
  const isNewProcess = session !== undefined && session !== known.session;
  const instance = { ...known, version, ...(isNewProcess ? { session, lastSeq: 0 } : {}) };
  const owed = owedTo(instance);
  const next = advance(withInstance(job, instance), { type: "connected", side: sideOf(job, from), version });
  return { ...next, owed };
}

function closed(job: JobState, from: string): Decision {
  const known = instanceById(job, from);
  if (!known) return { job, effects: [] };
  const { version: _, ...instance } = known;
  return advance(withInstance(job, instance), { type: "disconnected", side: sideOf(job, from) });
}

function reported(job: JobState, from: string, report: Report): JobTransition {
  const known = instanceById(job, from);
  if (!known) return { job, effects: [], ignored: "this instance is no longer part of the job" };
  if (!mayReport(known, report.type)) {
    return { job, effects: [], violation: `${report.type} cannot come from a ${known.side}` };
  }
  if (!("seq" in report)) return taken(job, known, report);
  if (report.seq <= known.lastSeq) return { job, effects: [], ignored: "it has been taken already" };
  return taken(job, { ...known, lastSeq: report.seq }, report);
}

function taken(before: JobState, sender: InstanceState, report: Report): JobTransition {
  const { owed, ...unowed } = sender;
  const isAnswer = report.type === "state" || report.type === "state-refused";
  const job = withInstance(before, sender);
  const migrationId = job.handover?.rules.step.at === "ended" ? undefined : job.handover?.rules.migrationId;
  if (migrationId === undefined) return ignored(job, report, "no handover of this job is in flight");
  if ("migrationId" in report && report.migrationId !== migrationId) {
    return ignored(job, report, `migration ${migrationId} is in flight`);
  }
  // An answer that is taken means that the source is past whatever it was told before; a repeated one says nothing.
  const heard = owed !== undefined && isAnswer ? withInstance(job, unowed) : job;
  const next = inOrder(advance(heard, { ...report, side: sideOf(job, sender.id) }));
  const [why] = next.effects.flatMap((effect) => (effect.type === "ignored" ? [effect.reason] : []));
  return why === undefined ? next : { job, effects: next.effects, ignored: why };
}

function ignored(job: JobState, { type }: Report, reason: string): JobTransition {
  return { job, effects: [{ type: "ignored", what: type, reason }], ignored: reason };
}

function gone(before: JobState, { who, reason }: Extract<JobInput, { type: "gone" }>): Decision {
  const known = instanceById(before, who);
  const job = known ? withInstance(before, { ...known, gone: reason }) : before;
  const { handover } = job;
  if (!handover) return { job, effects: [] };
  if (handover.rules.step.at === "ended") {
    return who === handover.targetId ? released(job, handover, `the target is gone: ${reason}`) : { job, effects: [] };
  }
  return who === handover.targetId || known
    ? advance(job, { type: "gone", side: sideOf(job, who), reason })
    : { job, effects: [] };
}

/** A handover in flight counts on a death that it has heard of: its target may be taking over already. */
function attached(job: JobState, who: string): JobTransition {
  const { gone: death, ...active } = job.active;
  if (active.id !== who || death === undefined) return { job, effects: [] };
  if (job.handover) {
    const reason = "a handover has been told that this instance is gone: attach it again when that has ended";
    return { job, effects: [{ type: "ignored", what: "attach", reason }] };
  }
  return { job: { ...job, active }, effects: [] };
}

/** Lets the rules of a handover decide. */
function advance(job: JobState, input: Input): Decision {
  const { handover } = job;
  if (!handover || handover.rules.step.at === "ended") return { job, effects: [] };
  const { handover: rules, effects } = transition(handover.rules, input);
  return carriedOut({ ...job, handover: { ...handover, rules } }, effects);
}

function carriedOut(before: JobState, asked: readonly Effect[]): Decision {
  let job = before;
  const effects: JobEffect[] = [];
  for (const effect of asked) {
    const next = carryOut(job, effect);
    job = next.job;
    effects.push(...next.effects);
  }
  const mustWrite = asked.some(mustBeWritten);
  const { handover } = job;
  if (handover?.rules.step.at !== "ended") return { job, effects, mustWrite };
  const end = ended(job, handover, handover.rules.step.end);
  return { job: end.job, effects: [...effects, ...end.effects], mustWrite };
}

function carryOut(job: JobState, effect: Effect): JobTransition {
  const { handover } = job;
  if (!handover) return { job, effects: [] };
  const { migrationId } = handover.rules;
  switch (effect.type) {
    case "send": {
      const to = instanceOn(job, effect.to);
      return { job, effects: to ? [{ type: "send", to: to.id, frame: effect.frame, epoch: to.epoch }] : [] };
    }
    case "place": {
      const { targetId: id } = handover;
      return {
        job: { ...job, other: { id, side: "target", migrationId, epoch: job.epoch, lastSeq: 0 } },
        effects: [effect],
      };
    }
    case "remove":
      return { job, effects: [effect] };
    case "resume-source":
      return resumed(job, migrationId, effect);
    case "promote":
      return promoted(job, migrationId);
    case "ignored":
      return { job, effects: [{ type: "ignored", what: effect.input.type, reason: effect.reason }] };
  }
}

/** Tells the source to carry on, now or when it is back. */
function resumed(
  job: JobState,
  migrationId: string,
  { reason, mayHaveStopped }: { reason: string; mayHaveStopped: boolean },
): JobTransition {
  const source = instanceOn(job, "source");
  if (!source) return { job, effects: [] };
  const abort: WorkerAbortFrame = { type: "abort", migrationId, reason };
  // The target may have written under its epoch: what the source writes from now on must be newer.
  const epoch = mayHaveStopped ? job.epoch + 1 : job.epoch;
  // What a source that may have stopped is owed is never replaced by what it could do without.
  const owed = mayHaveStopped || source.owed === undefined ? abort : source.owed;
  const resuming = { ...source, owed, epoch: mayHaveStopped ? epoch : source.epoch };
  const effects: JobEffect[] = [{ type: "resuming", migrationId, reason }];
  if (source.version !== undefined)
    effects.unshift({ type: "send", to: source.id, frame: abort, epoch: resuming.epoch });
  return { job: withInstance({ ...job, epoch }, resuming), effects };
}

function promoted(job: JobState, migrationId: string): JobTransition {
  const { active: source, other: target } = job;
  if (!target) return { job, effects: [] };
  const owed: CommittedFrame = { type: "committed", migrationId, epoch: target.epoch };
  const active: InstanceState = { ...target, side: "source", owed };
  const other: InstanceState = { ...source, owed };
  return { job: { ...job, active, other }, effects: [...owedTo(active), ...owedTo(other)] };
}

function owedTo({ id, owed, version, epoch }: InstanceState): readonly JobEffect[] {
  // Version 1 does not know of a commit.
  if (owed === undefined || version === undefined || (owed.type === "committed" && version === 1)) return [];
  return [{ type: "send", to: id, frame: owed, epoch }];
}

function ended(job: JobState, handover: HandoverState, end: End): JobTransition {
  const { migrationId } = handover.rules;
  const over: JobEffect = { type: "ended", migrationId, end };
  const { other: _, handover: __, ...left } = job;
  if (end.outcome === "aborted" && end.active === "none") return { job: outlived(left), effects: [over] };
  if (end.outcome !== "indeterminate") return { job: left, effects: [over] };
  // The source stays silent for as long as the target may be active.
  if (handover.onIndeterminate === "hold") return { job: { ...left, handover }, effects: [over] };
  const resuming = released(job, handover, `${end.reason}; the source resumes all the same`);
  return { job: resuming.job, effects: [...resuming.effects, over] };
}

/** The target may have written: should the dead source be started again, what it writes must be newer. */
function outlived(job: JobState): JobState {
  const epoch = job.epoch + 1;
  return { ...job, epoch, active: { ...job.active, epoch } };
}

/** The doubt about a target is over: the source resumes. */
function released(job: JobState, { rules }: HandoverState, reason: string): JobTransition {
  const { job: resuming, effects } = resumed(job, rules.migrationId, { reason, mayHaveStopped: true });
  const { other: _, handover: __, ...left } = resuming;
  return { job: left, effects };
}
