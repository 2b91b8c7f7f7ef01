import { DEFAULT_DEADLINES_MS } from "@changeover/migration-protocol";
import { instanceById, instanceOn, sideOf } from "../../src/job/job-state.js";
import { jobTransition, withheld, type JobEffect, type JobInput } from "../../src/job/job-transition.js";
import { fromRecord, toRecord } from "../../src/job/journal-record.js";
import type { JournalRecord } from "../../src/job/journal-record.js";
import { Broken, migrationId, processId, type Process, type Setting, type World, type WorkerProcess } from "./world.js";

const names = { jobId: "job", capabilities: [] };

/** What goes wrong while a worker carries out what follows from an input. */
export interface Mishap {
  /** It is killed after so many effects. */
  readonly killedAfter?: number;
  /** Its journal cannot be written. */
  readonly isDiskFull?: boolean;
  /** Its first frame cannot be sent. */
  readonly cannotSend?: boolean;
}

/** What the worker did with an input. */
export interface Course {
  /** How many effects there were: it can be killed before each of them. */
  effects: number;
  /** Whether it has written its job down. */
  hasWritten: boolean;
  /** Whether it has sent a command. */
  hasSent: boolean;
}

/** Lets the worker take an input, by the shipped rules, in the order in which the shipped job carries effects out. */
export function feed(world: World, input: JobInput, mishap: Mishap = {}, course?: Course): void {
  const { worker } = world;
  if (!worker) return;
  const before = worker.job;
  const { job, effects, violation } = jobTransition(before, input);
  if (violation !== undefined) throw new Broken(`the client broke the protocol: ${violation}`);
  worker.job = job;
  const later: JobInput[] = [];
  let hasFailed = false;
  for (const [done, effect] of effects.entries()) {
    if (done === mishap.killedAfter) return killWorker(world);
    if (course) {
      course.effects += 1;
      course.hasWritten ||= effect.type === "write" && isNew(world, worker);
      course.hasSent ||= canFail(effect);
    }
    if (mishap.cannotSend === true && !hasFailed && canFail(effect)) {
      hasFailed = true;
      const failed = { type: "send-failed", side: sideOf(worker.job, effect.to), reason: "it is no JSON" } as const;
      later.push({ type: "handover", migrationId: effect.frame.migrationId, input: failed });
      continue;
    }
    if (effect.type === "write" && mishap.isDiskFull === true) {
      if (!effect.isRequired) continue;
      worker.job = withheld(before, worker.job);
      const migration = worker.job.handover?.rules.migrationId ?? "";
      const failed = { type: "journal-failed", reason: "the disk is full" } as const;
      return feed(world, { type: "handover", migrationId: migration, input: failed });
    }
    carryOut(world, worker, effect, later);
  }
  for (const next of later) feed(world, next);
}

function carryOut(world: World, worker: WorkerProcess, effect: JobEffect, later: JobInput[]): void {
  const { job } = worker;
  switch (effect.type) {
    case "write":
      if (isNew(world, worker)) world.journal = recordOf(worker);
      break;
    case "send": {
      const to = world.processes[effect.to];
      if (to?.link.worker !== "open") break;
      if (to.version === 1) to.link.toJob.push(effect.frame);
      else if (effect.frame.type === "committed") to.link.toJob.push(effect.frame);
      else to.link.toJob.push({ ...effect.frame, epoch: effect.epoch, deadlineMs: 10_000 });
      break;
    }
    case "place":
      worker.placing = { id: job.handover?.targetId ?? "", isStarted: false };
      break;
    case "remove": {
      const id = effect.side === "target" ? job.handover?.targetId : instanceOn(job, "source")?.id;
      if (id !== undefined) worker.removing.push(id);
      else if (job.handover) {
        const reason = "nothing that could remove it was attached to the job";
        const input = { type: "remove-failed", side: effect.side, reason } as const;
        later.push({ type: "handover", migrationId: job.handover.rules.migrationId, input });
      }
      break;
    }
    case "ended":
      world.end = JSON.stringify(effect.end);
      retire(world, worker);
      break;
    case "resuming":
    case "ignored":
      break;
  }
}

/** What a job hands over may be what cannot be sent; the worker's own words always can. */
function canFail(effect: JobEffect): effect is Extract<JobEffect, { type: "send" }> {
  return effect.type === "send" && effect.frame.type !== "abort" && effect.frame.type !== "committed";
}

/** What is read again is what was written, not what it was made of. */
function recordOf({ job }: Pick<WorkerProcess, "job">): JournalRecord {
  return JSON.parse(JSON.stringify(toRecord(names, job)));
}

function isNew(world: World, worker: WorkerProcess): boolean {
  return JSON.stringify(world.journal) !== JSON.stringify(toRecord(names, worker.job));
}

/** Registers the job. */
export function register(world: World): void {
  if (world.worker) world.journal = recordOf(world.worker);
}

/** Closes the connections of those that are no longer part of the job. */
function retire(world: World, { job }: WorkerProcess): void {
  for (const [id, process] of Object.entries(world.processes)) {
    if (instanceById(job, id) !== undefined || process.link.worker === "none") continue;
    if (process.link.worker === "open") close(process);
    process.link.worker = "none";
  }
}

function close({ link }: Process): void {
  link.toWorker = [];
  // What was sent before the close arrives before it.
  link.toJob.push(CLOSE);
}

/** Stands for the close frame at the end of what a worker has sent. */
export const CLOSE = { type: "pong" } as const;

export function begin(world: World, setting: Setting, mishap?: Mishap, course?: Course): void {
  world.begun += 1;
  const { sourceLost, onIndeterminate } = setting;
  feed(
    world,
    {
      type: "begin",
      migrationId: migrationId(world.begun),
      targetId: processId(world.begun),
      sourceLost,
      onIndeterminate,
      isDryRun: false,
      fencingMs: DEFAULT_DEADLINES_MS.fencing,
    },
    mishap,
    course,
  );
}

/** The worker is killed: what it had in memory is lost, and with it every connection. */
export function killWorker(world: World): void {
  world.worker = null;
  for (const process of Object.values(world.processes)) {
    if (process.link.client !== "down") close(process);
    process.link.worker = "none";
  }
}

/** Another worker takes over with what the journal has. */
export function restartWorker(world: World): void {
  if (!world.journal) throw new Broken("the journal has forgotten the job");
  const job = fromRecord(world.journal);
  const { handover } = job;
  world.worker = { job, placing: null, removing: [], buried: [], lost: handover?.targetId ?? null };
  if (!handover) return;
  const { migrationId: id } = handover.rules;
  feed(world, { type: "handover", migrationId: id, input: { type: "restarted" } });
}

/** The worker reads the next frame of a process. */
export function readFrame(world: World, id: string, process: Process, mishap?: Mishap, course?: Course): void {
  const { worker } = world;
  const { link, version } = process;
  const frame = link.toWorker.shift();
  if (!frame || !worker) return;
  if (frame.type === "hello") {
    const known = instanceById(worker.job, id);
    if (!known) {
      link.worker = "none";
      link.toJob.push(CLOSE);
      return;
    }
    link.worker = "open";
    const isTarget = known.side === "target" && known.migrationId !== undefined;
    const migration = isTarget ? { migration: { id: known.migrationId ?? "" } } : {};
    link.toJob.push({ type: "hello-ack", ...(version === 2 ? { protocol: 2, epoch: known.epoch } : {}), ...migration });
    feed(world, { type: "hello", from: id, version, session: version === 2 ? id : undefined }, mishap, course);
    return;
  }
  const before = worker.job;
  const ignored =
    "seq" in frame ? jobTransition(before, { type: "report", from: id, report: frame }).ignored : undefined;
  feed(world, { type: "report", from: id, report: frame }, mishap, course);
  // Sent after what the report has led to.
  if ("seq" in frame && world.worker && link.worker === "open") {
    link.toJob.push({ type: "report-ack", seq: frame.seq, ...(ignored === undefined ? {} : { ignored }) });
  }
}
