import {
  clientTransition,
  type ClientEffect,
  type ClientInput,
  type Task,
} from "@changeover/migration-client/internal";
import { CLOSE } from "./worker-side.js";
import { Broken, type Process, type Setting, type World } from "./world.js";

/** Lets the client of a process take an input, by the shipped rules. */
export function tell(process: Process, input: ClientInput): void {
  const { state, effects } = clientTransition(process.client, input);
  process.client = state;
  for (const effect of effects) carryOut(process, effect);
}

function carryOut(process: Process, effect: ClientEffect): void {
  if (effect.type === "send" && process.link.client === "up") {
    // What is written to a connection that the worker has left is lost.
    if (process.link.worker === "open") process.link.toWorker.push(JSON.parse(effect.text));
    tell(process, { type: "written", seq: effect.seq });
  }
  if (effect.type === "run") {
    const { type, migrationId } = effect.task.frame;
    const command = `${type} ${migrationId}`;
    // Version 1 asks again after a reconnect; everything else is done once, whatever is repeated.
    const isRepeated = process.client.link.version === 1 && type === "get-state";
    // One that has resumed on its own is told the epoch under which it may write.
    const mayRepeat = isRepeated || (process.hasResumedAlone && type === "abort");
    if (process.handled.includes(command) && !mayRepeat) throw new Broken(`a handler ran twice for ${command}`);
    if (!process.handled.includes(command)) process.handled.push(command);
  }
}

/** The job's end of a connection is gone, and all that was on its way. */
export function loseConnection(process: Process): void {
  const { link } = process;
  const wasUp = link.client === "up";
  link.client = "down";
  link.toWorker = [];
  link.toJob = [];
  if (link.worker === "open") link.worker = "stale";
  if (wasUp) tell(process, { type: "lost" });
}

export function connect(process: Process): void {
  process.link.client = "greeting";
  process.link.toWorker = [{ type: "hello", token: "" }];
}

/** The client reads the next frame of the worker. */
export function readFrame(process: Process): void {
  const { link } = process;
  const frame = link.toJob.shift();
  if (!frame) return;
  switch (frame.type) {
    case "hello-ack":
      link.client = "up";
      tell(process, { type: "acknowledged", ack: frame });
      break;
    case "report-ack":
      tell(process, { type: "report-ack", ack: frame });
      break;
    case CLOSE.type:
      loseConnection(process);
      break;
    case "ping":
      break;
    default:
      tell(process, { type: "command", frame });
  }
}

/** A handler comes to its end: what a job does for a command, as the guides ask it to. */
export function finishHandler(world: World, setting: Setting, id: string, task: Task): void {
  const process = world.processes[id];
  if (!process) return;
  const { frame, key, hasFired } = task;
  const { epoch } = frame;
  const settled = { type: "settled", task: key } as const;
  if (hasFired && frame.type !== "abort" && frame.type !== "committed") {
    tell(process, { ...settled, failure: "it was called off" });
    return;
  }
  switch (frame.type) {
    case "get-state":
      tell(process, { type: "answered", task: key, method: "onGetState", text: '{"type":"state","payload":1}' });
      break;
    case "initial-state":
      report(process, "target-ready", { ready: frame.migrationId });
      break;
    case "cutover-ready":
      process.isActive = false;
      report(process, "source-stopped-output", { stopped: frame.migrationId, by: id });
      break;
    case "cutover-apply":
      checkPosition(world, frame.migrationId, frame.payload);
      activate(world, setting, id, process, epoch);
      report(process, "target-applied");
      break;
    case "abort":
      if (process.client.session.role === "source") activate(world, setting, id, process, epoch);
      break;
    case "committed":
      if (process.client.session.migrations.some(({ role, endedBy }) => role === "source" && endedBy === "commit")) {
        process.isActive = false;
      }
      break;
  }
  tell(process, settled);
}

function report(
  process: Process,
  type: "target-ready" | "source-stopped-output" | "target-applied",
  payload?: unknown,
): void {
  const text = JSON.stringify(payload === undefined ? { type } : { type, payload });
  tell(process, { type: "report", method: type, report: type, text });
}

/** A target takes over from where the source of this handover has stopped, or from its own position if that is dead. */
function checkPosition(world: World, migrationId: string, payload: unknown): void {
  const position = JSON.stringify(payload);
  const isStop = position.startsWith(`{"stopped":"${migrationId}"`);
  const isOwn = position === JSON.stringify({ ready: migrationId });
  if (!isStop && !isOwn) throw new Broken(`the target of ${migrationId} was told to take over from ${position}`);
  const others = Object.values(world.processes).filter((other) => other.isAlive && other.isActive);
  if (isOwn && others.length > 0) throw new Broken("a target took over from its own position beside a live source");
}

/** The process produces the output from now on. */
function activate(world: World, setting: Setting, id: string, process: Process, epoch: number | undefined): void {
  process.isActive = true;
  if (epoch !== undefined) process.epoch = epoch;
  const { writer } = world;
  // Where two may be active it is their epochs that tell them apart.
  const isAlone = setting.onIndeterminate === "hold" && !anyAlone(world);
  const isOlder = (process.epoch ?? Infinity) <= (writer?.epoch ?? 0);
  if (isAlone && isOlder && writer?.id !== id) {
    throw new Broken(`${id} writes under epoch ${process.epoch} after ${writer?.id} wrote under ${writer?.epoch}`);
  }
  world.writer = { id, epoch: process.epoch };
}

function anyAlone({ processes }: World): boolean {
  return Object.values(processes).some(({ hasResumedAlone }) => hasResumedAlone);
}

/** At most one process produces output, unless one was told to resume when it hears nothing. */
export function checkActive(world: World, mayBeTwo: boolean): void {
  const active = Object.entries(world.processes).filter(([, { isAlive, isActive }]) => isAlive && isActive);
  if (active.length > 1 && !mayBeTwo && !anyAlone(world)) {
    throw new Broken(`two are active: ${active.map(([id]) => id).join(" and ")}`);
  }
}
