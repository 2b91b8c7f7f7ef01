import { expect, test } from "vitest";
import { newClientState, type ClientInput, type ClientState } from "./client-state.js";
import { clientTransition, mayReport } from "./client-transition.js";
import { dueTimers } from "./due-timers.js";
import type { CommandFrame } from "./session.js";
import { openQuestions } from "./task-queue.js";

const migrationId = "m-1";
const STOPPED = { type: "report", method: "reportStoppedOutput", report: "source-stopped-output", text: "{}" } as const;

/** What a worker of this version may send to a source at any time. */
function commands(version: 1 | 2): CommandFrame[] {
  const common = version === 2 ? { migrationId, epoch: 7 } : { migrationId };
  return [
    { type: "get-state", ...common },
    { type: "cutover-ready", payload: null, ...common },
    { type: "abort", reason: "over", ...common },
    ...(version === 2 ? [{ type: "committed", migrationId, epoch: 8 } as const] : []),
  ];
}

/** Everything that can happen next to a source. */
function possible(state: ClientState): ClientInput[] {
  const { link, queue, isClosed } = state;
  const inputs: ClientInput[] = dueTimers(state).map(({ input }) => input);
  for (const { key: task } of queue.started) {
    const isOpen = openQuestions(queue).some(({ key }) => key === task);
    if (isOpen) inputs.push({ type: "answered", task, method: "onGetState", text: '{"type":"state"}' });
    if (isOpen) inputs.push({ type: "refused", task, reason: "no" }, { type: "no-handler", task });
    else inputs.push({ type: "settled", task });
    inputs.push({ type: "settled", task, failure: "it failed" });
  }
  if (isClosed) {
    if (link.isConnected) inputs.push({ type: "lost" }, ...acknowledgements(state));
    return inputs;
  }
  inputs.push({ type: "closed", why: "closed", isConnected: link.isConnected }, { type: "abort", reason: "enough" });
  if (mayReport(state, STOPPED.report)) inputs.push(STOPPED);
  if (link.isConnected) {
    inputs.push({ type: "lost" });
    for (const frame of commands(link.version)) inputs.push({ type: "command", frame });
    inputs.push(...acknowledgements(state));
  } else {
    inputs.push({ type: "acknowledged", ack: { type: "hello-ack" } });
    inputs.push({ type: "acknowledged", ack: { type: "hello-ack", protocol: 2, epoch: 7 } });
  }
  return inputs;
}

function acknowledgements({ link, outbox }: ClientState): ClientInput[] {
  return outbox.reports.map(({ seq }) =>
    link.version === 2 ? { type: "report-ack", ack: { type: "report-ack", seq } } : { type: "written", seq },
  );
}

/** Calls `see` with every step that is at most so many inputs away from the start. */
function explore(depth: number, see: (before: ClientState, input: ClientInput) => ClientState): number {
  const start = newClientState("source", undefined, { getStateTimeoutMs: 9_000, resumeAfterMs: 60_000 });
  const seen = new Set([JSON.stringify(start)]);
  let states = [start];
  for (let distance = 0; distance < depth; distance += 1) {
    const next: ClientState[] = [];
    for (const before of states) {
      for (const input of possible(before)) {
        const after = see(before, input);
        const key = JSON.stringify(after);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(after);
      }
    }
    states = next;
  }
  return seen.size;
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part);
  return value;
}

test("a step changes nothing that it is given, and is the same from a state that was written down and read", () => {
  const states = explore(5, (before, input) => {
    const step = clientTransition(frozen(before), frozen(input));
    const read: ClientState = JSON.parse(JSON.stringify(before));
    expect(JSON.stringify(clientTransition(read, input))).toBe(JSON.stringify(step));
    return step.state;
  });
  expect(states).toBeGreaterThan(500);
});

/** How the worker, the connection or the client itself ends the wait for an answer. */
function withdraws(input: ClientInput): boolean {
  if (input.type === "command") return input.frame.type === "abort" || input.frame.type === "committed";
  return ["lost", "acknowledged", "closed", "resume-due"].includes(input.type);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

test("every question is answered once: by a state, a refusal, or not at all if nobody waits for it any more", () => {
  const wrong: unknown[] = [];
  const states = explore(7, (before, input) => {
    const { state: after } = clientTransition(before, input);
    const open = openQuestions(after.queue).map(({ key }) => key);
    const closed = openQuestions(before.queue).filter(({ key }) => !open.includes(key)).length;
    const answers = after.outbox.lastSeq - before.outbox.lastSeq;
    if (!withdraws(input) && closed > 0 && answers !== closed) wrong.push(["answered", answers, before, input]);
    // A question is closed when its handler has settled, and until then the clock runs.
    const isSettled = input.type === "settled" || input.type === "no-handler";
    if (isSettled && open.includes(input.task)) wrong.push(["settled", before, input]);
    const timed = dueTimers(after).flatMap(({ input }) => (input.type === "timed-out" ? [input.task] : []));
    if (!same(timed, open)) wrong.push(["timed", timed, before, input]);
    return after;
  });
  expect(wrong).toEqual([]);
  expect(states).toBeGreaterThan(5_000);
});

test("handlers run one at a time, reports are sent in order, and a timer that is over changes something", () => {
  const wrong: unknown[] = [];
  explore(7, (before, input) => {
    const { state: after, effects } = clientTransition(before, input);
    const runs = effects.flatMap((effect) => (effect.type === "run" ? [effect.task.key] : []));
    const isAlone = before.queue.running === null || before.queue.running !== after.queue.running;
    const isLastEffect = effects.at(-1)?.type === "run" && after.queue.running === runs[0];
    if (runs.length > 0 && !(runs.length === 1 && isAlone && isLastEffect)) wrong.push(["runs", before, input]);
    const sent = effects.flatMap((effect) => (effect.type === "send" ? [effect.seq] : []));
    if (
      !same(
        sent,
        sent.toSorted((one, other) => one - other),
      )
    )
      wrong.push(["order", before, input]);
    const isTimer = dueTimers(before).some((timer) => same(timer.input, input));
    if (isTimer && same(before, after)) wrong.push(["timer", before, input]);
    const isLast = before.link.isConnected && !after.link.isConnected;
    const isQuiet = effects.every(({ type }) => type === "log" || (type === "disconnect" && isLast));
    if (before.isClosed && !isQuiet) wrong.push(["closed", before, input]);
    return after;
  });
  expect(wrong).toEqual([]);
});
