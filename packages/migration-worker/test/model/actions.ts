import { dueTimers } from "@changeover/migration-client/internal";
import { instanceById } from "../../src/job/job-state.js";
import type { JobInput } from "../../src/job/job-transition.js";
import { connect, finishHandler, loseConnection, readFrame as readAtJob, tell } from "./job-side.js";
import { newProcess, type Process, type Setting, type World, type WorkerProcess } from "./world.js";
import {
  begin,
  feed,
  killWorker,
  readFrame as readAtWorker,
  restartWorker,
  type Course,
  type Mishap,
} from "./worker-side.js";

/** One thing that can happen next. */
export interface Action {
  readonly name: string;
  /** Something goes wrong, or happens at a bad moment: the search allows so many on a path. */
  readonly isFault: boolean;
  /** Changes the world that it is given. */
  run(world: World, mishap?: Mishap, course?: Course): void;
}

/** All that can happen next. Without faults only what happens by itself, in the order in which it is dealt with. */
export function possible(world: World, setting: Setting): Action[] {
  const actions: Action[] = [];
  const add = (name: string, run: Action["run"]): void => void actions.push({ name, isFault: false, run });
  const fault = (name: string, run: Action["run"]): void => {
    if (world.faults > 0 && setting.only?.test(name) !== false) actions.push({ name, isFault: true, run });
  };
  const { worker } = world;
  if (worker) workerActions(world, worker, setting, { add, fault });
  else add("the worker is restarted", restartWorker);
  for (const [id, process] of Object.entries(world.processes)) {
    if (process.isAlive) processActions(world, setting, id, { add, fault });
  }
  return actions;
}

interface Adders {
  add(name: string, run: Action["run"]): void;
  fault(name: string, run: Action["run"]): void;
}

function workerActions(world: World, worker: WorkerProcess, setting: Setting, { add, fault }: Adders): void {
  const { job, placing, removing, buried, lost } = worker;
  for (const [id, { link, isAlive }] of Object.entries(world.processes)) {
    if (link.toWorker.length > 0) {
      add(`the worker reads ${link.toWorker[0]?.type ?? ""} of ${id}`, (next, mishap, course) => {
        readAtWorker(next, id, of(next, id), mishap, course);
      });
    }
    if (link.worker === "stale" && link.client === "down") {
      add(`the worker notices that the connection of ${id} is lost`, (next) => {
        of(next, id).link.worker = "none";
        feed(next, { type: "closed", from: id });
      });
    }
    // A placement is known, and tells of a death, only from the moment that the target has been placed.
    if (!isAlive && !buried.includes(id) && id !== lost && id !== placing?.id) {
      add(`the worker hears that ${id} is gone`, (next, mishap, course) => {
        next.worker?.buried.push(id);
        feed(next, { type: "gone", who: id, reason: "killed" }, mishap, course);
      });
    }
  }
  if (placing) placeActions(worker, setting, { add, fault });
  for (const id of new Set(removing)) {
    if (placing?.id === id) continue;
    add(`${id} is removed`, (next) => remove(next, id));
    fault(`removing ${id} fails`, (next) =>
      feed(next, ofHandover(next, { type: "remove-failed", side: sideIn(next, id), reason: "no engine" })),
    );
  }
  const { handover } = job;
  if (handover && handover.rules.step.at !== "ended") {
    fault("a deadline passes", (next, mishap, course) => {
      feed(next, ofHandover(next, { type: "deadline", afterMs: 1 }), mishap, course);
    });
    fault("the caller cancels", (next) => feed(next, ofHandover(next, { type: "cancel", reason: "cancelled" })));
  } else if (!handover && world.begun < setting.handovers) {
    add("a handover begins", (next, mishap, course) => begin(next, setting, mishap, course));
  }
  if (handover?.rules.step.at === "commit.waiting") {
    add("the journal can be written again", (next, mishap, course) => {
      feed(next, ofHandover(next, { type: "journal-written" }), mishap, course);
    });
  }
  fault("the worker is killed", killWorker);
}

function placeActions({ placing }: WorkerProcess, setting: Setting, { add, fault }: Adders): void {
  if (!placing) return;
  const { id, isStarted } = placing;
  const failToPlace = (next: World): void => {
    if (next.worker) next.worker.placing = null;
    feed(next, ofHandover(next, { type: "place-failed", reason: "no image" }));
  };
  if (isStarted) {
    fault(`placing ${id} fails after it has started`, (next) => {
      die(next, id);
      failToPlace(next);
    });
    add(`${id} is placed`, (next, mishap, course) => {
      if (next.worker) next.worker.placing = null;
      feed(next, ofHandover(next, { type: "placed" }), mishap, course);
    });
    return;
  }
  add(`${id} starts`, (next) => {
    next.processes[id] = newProcess(setting, Number(id.slice(1)));
    if (next.worker) next.worker.placing = { id, isStarted: true };
  });
  fault(`${id} cannot be placed`, failToPlace);
  fault(`the worker is killed while ${id} is about to start`, (next) => {
    next.processes[id] = newProcess(setting, Number(id.slice(1)));
    killWorker(next);
  });
}

function processActions(world: World, setting: Setting, id: string, { add, fault }: Adders): void {
  const { link, client } = of(world, id);
  if (link.toJob.length > 0) {
    add(`${id} reads ${link.toJob[0]?.type ?? ""}`, (next) => readAtJob(of(next, id)));
  }
  for (const task of client.queue.started) {
    const { type, migrationId } = task.frame;
    add(`${id} has done ${type} of ${migrationId}`, (next) => finishHandler(next, setting, id, task));
    // A job that cannot resume has broken its own promise.
    if (type === "abort" || type === "committed") continue;
    fault(`${id} fails in ${type} of ${migrationId}`, (next) => {
      tell(of(next, id), { type: "settled", task: task.key, failure: "it failed" });
    });
  }
  const isKnown = world.worker !== null && instanceById(world.worker.job, id) !== undefined;
  if (link.client === "down" && isKnown) add(`${id} connects`, (next) => connect(of(next, id)));
  if (link.client === "up") fault(`the connection of ${id} is lost`, (next) => loseConnection(of(next, id)));
  for (const { key, input } of dueTimers(client)) {
    if (input.type !== "resume-due") fault(`${key} of ${id} is due`, (next) => tell(of(next, id), input));
    // That much time passes by itself while a connection is lost.
    else
      add(`${id} has heard nothing for long`, (next) => {
        of(next, id).hasResumedAlone = true;
        tell(of(next, id), input);
      });
  }
  if (client.session.current !== null) {
    fault(`${id} aborts`, (next) => tell(of(next, id), { type: "abort", reason: "enough" }));
  }
  fault(`${id} is killed`, (next) => die(next, id));
}

/** What the clock does where nothing else happens any more. */
export function lastResort(world: World): Action | undefined {
  const { worker } = world;
  const { handover } = worker?.job ?? {};
  if (handover && handover.rules.step.at !== "ended") {
    const run = (next: World): void => feed(next, ofHandover(next, { type: "deadline", afterMs: 1 }));
    return { name: "a deadline passes", isFault: false, run };
  }
  return undefined;
}

function remove(world: World, id: string): void {
  const { worker } = world;
  if (!worker) return;
  worker.removing = worker.removing.filter((each) => each !== id);
  const wasLost = worker.lost === id;
  if (wasLost) worker.lost = null;
  if (world.processes[id]) die(world, id);
  else if (wasLost) feed(world, { type: "gone", who: id, reason: "there was none" });
}

function die(world: World, id: string): void {
  const process = of(world, id);
  if (!process.isAlive) return;
  loseConnection(process);
  process.isAlive = false;
  process.isActive = false;
}

function ofHandover(world: World, input: Extract<JobInput, { type: "handover" }>["input"]): JobInput {
  return { type: "handover", migrationId: world.worker?.job.handover?.rules.migrationId ?? "", input };
}

function sideIn(world: World, id: string): "source" | "target" {
  return world.worker?.job.handover?.targetId === id ? "target" : "source";
}

function of(world: World, id: string): Process {
  const process = world.processes[id];
  if (!process) throw new Error(`there is no process ${id}`);
  return process;
}
