import { setTimeout } from "node:timers/promises";
import type { Active, Deadlines, HandoverEnd, Phase } from "@changeover/migration-worker";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { epochMs } from "../src/demo/collector.js";
import { freeze, RemoteTicker, thaw } from "./remote-ticker.js";

type Victim = "worker" | "source" | "target";
type Harm = "kill" | "freeze";

interface Expected {
  outcome: HandoverEnd["outcome"];
  phase?: Phase;
  active?: Active;
  sourceLost?: string;
}

/** Short where a case waits for one to expire, long where a process has to start within it. */
const shortMs = 700;
const deadlines: Deadlines = {
  propose: shortMs,
  place: 5_000,
  ready: 5_000,
  stop: shortMs,
  apply: shortMs,
  fencing: 2_000,
};
/** So long that the deadline of any phase has passed when the worker goes on. */
const frozenWorkerMs = 1_000;
/** The ticker's longest delay before it reconnects. */
const reconnectMs = 500;
/** What a machine with more processes than cores adds to any wait. */
const busyMs = 500;

const completed: Expected = { outcome: "completed" };
const promoted: Expected = { outcome: "completed", sourceLost: "killed by SIGKILL" };
const aborted = (phase: Phase, active: Active = "source"): Expected => ({ outcome: "aborted", phase, active });

interface Case {
  harm: Harm;
  victim: Victim;
  phase: Phase;
  /** One, or where it is a matter of chance what a worker sees first when it wakes up, two. */
  ends: Expected[];
  /** What may pass, one after the other, while nobody produces output: deadlines, and the absence of the worker. */
  waits: (keyof Deadlines | "worker")[];
  /** The job's only instance has died with it. */
  isDead?: boolean;
}

const row = (
  harm: Harm,
  victim: Victim,
  phase: Phase,
  ends: Expected | Expected[],
  waits: Case["waits"] = [],
): Case => ({ harm, victim, phase, ends: [ends].flat(), waits });

const cases: Case[] = [
  // Whoever is active goes on without the worker. A source that has stopped waits until the worker is back, and where
  // the target has taken over in the meantime, for its removal.
  row("kill", "worker", "propose", aborted("propose")),
  row("kill", "worker", "place", aborted("place")),
  row("kill", "worker", "ready", aborted("ready")),
  row("kill", "worker", "stop", aborted("stop"), ["worker"]),
  row("kill", "worker", "apply", aborted("apply"), ["worker", "fencing"]),
  row("kill", "worker", "commit", completed),
  // The deadline of the phase and the report that it waited for have both come when the worker goes on.
  row("freeze", "worker", "propose", [aborted("propose"), completed]),
  row("freeze", "worker", "place", [aborted("place"), completed]),
  row("freeze", "worker", "ready", [aborted("ready"), completed]),
  row("freeze", "worker", "stop", [aborted("stop"), completed], ["worker"]),
  row("freeze", "worker", "apply", [aborted("apply"), completed], ["fencing"]),
  row("freeze", "worker", "commit", completed),
  // The target takes over as soon as it is ready.
  { ...row("kill", "source", "propose", aborted("propose", "none")), isDead: true },
  row("kill", "source", "place", promoted, ["place", "ready", "apply"]),
  row("kill", "source", "ready", promoted, ["ready", "apply"]),
  row("kill", "source", "stop", promoted, ["stop", "apply"]),
  row("kill", "source", "apply", promoted, ["apply"]),
  row("kill", "source", "commit", completed),
  // A source that may still be there is not replaced before it has stopped.
  row("freeze", "source", "propose", aborted("propose"), ["propose"]),
  row("freeze", "source", "place", aborted("stop"), ["place", "ready", "stop"]),
  row("freeze", "source", "ready", aborted("stop"), ["ready", "stop"]),
  row("freeze", "source", "stop", aborted("stop"), ["stop"]),
  row("freeze", "source", "apply", completed, ["apply"]),
  row("freeze", "source", "commit", completed),
  row("kill", "target", "place", aborted("ready")),
  row("kill", "target", "ready", aborted("ready")),
  row("kill", "target", "stop", aborted("stop"), ["stop"]),
  row("kill", "target", "apply", aborted("apply"), ["apply", "fencing"]),
  { ...row("kill", "target", "commit", completed), isDead: true },
  row("freeze", "target", "place", aborted("ready")),
  row("freeze", "target", "ready", aborted("ready")),
  row("freeze", "target", "stop", aborted("apply"), ["stop", "apply", "fencing"]),
  row("freeze", "target", "apply", aborted("apply"), ["apply", "fencing"]),
  row("freeze", "target", "commit", completed, ["fencing"]),
];

/**
 * Keeps the handover that is about to begin in a phase, by holding whoever would end it. Resolves when the phase has
 * come that far; the returned function lets it go on.
 */
async function holdIn(phase: Phase, ticker: RemoteTicker): Promise<() => void> {
  const { collector, source } = ticker;
  const held: { release?: () => void } = {};
  const hold = new Promise<void>((resolve) => {
    held.release = resolve;
  });
  const release = (): void => held.release?.();
  switch (phase) {
    case "propose":
      freeze(source?.pid);
      await ticker.enters(phase);
      return () => thaw(source?.pid);
    case "place":
      return new Promise((isHeld) => {
        ticker.onPlaced = async () => {
          isHeld(release);
          await hold;
        };
      });
    case "ready":
      ticker.onPlaced = ({ pid }) => freeze(pid);
      await ticker.enters(phase);
      return () => thaw(ticker.target?.pid);
    case "stop":
      await collector.holdNextEnd();
      return () => collector.release();
    case "apply":
      await collector.holdNextConnection();
      return () => collector.release();
    case "commit":
      await ticker.enters("stop");
      ticker.beforeRemoval = hold;
      await ticker.enters(phase);
      return release;
  }
}

/** Harms the victim, until it is over, and ends the hold on the phase. Returns how long the worker was not there for the job. */
async function doHarm(
  { harm, victim, phase }: Case,
  ticker: RemoteTicker,
  letGoOn: () => void,
  over: Promise<unknown>,
): Promise<number> {
  const { worker } = ticker;
  const since = epochMs();
  if (victim === "worker" && harm === "kill") {
    await worker.kill();
    letGoOn();
    await worker.restart();
    return epochMs() - since + reconnectMs;
  }
  if (victim === "worker") {
    freeze(worker.pid);
    letGoOn();
    await setTimeout(frozenWorkerMs);
    thaw(worker.pid);
    return epochMs() - since;
  }
  const instance = victim === "source" ? ticker.source : ticker.target;
  if (harm === "kill") {
    await instance?.kill();
    letGoOn();
    return 0;
  }
  freeze(instance?.pid);
  // In these phases the victim itself is what is held.
  const isHeldItself = phase === (victim === "source" ? "propose" : "ready");
  if (!isHeldItself) letGoOn();
  await over;
  thaw(instance?.pid);
  return 0;
}

/** Deadlines that expire in this case without holding up the output, so that it does not take long. */
function expiring({ harm, victim, phase }: Case): Partial<Deadlines> {
  if (harm === "kill") return {};
  if (victim === "worker") return { [phase === "commit" ? "fencing" : phase]: shortMs };
  return victim === "target" && (phase === "place" || phase === "ready") ? { ready: shortMs } : {};
}

async function expectNextToComplete(ticker: RemoteTicker): Promise<void> {
  expect(await ticker.handOver()).toMatchObject(completed);
  await ticker.collector.arrivals(10);
  expect(ticker.collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
  await eventually(() => expect(ticker.livingPids()).toEqual([ticker.source?.pid]));
}

async function expectDeath(ticker: RemoteTicker): Promise<void> {
  await eventually(() => expect(ticker.livingPids()).toEqual([]));
  expect(await ticker.handOver()).toMatchObject(aborted("propose", "none"));
  expect(ticker.collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
}

async function run(one: Case): Promise<void> {
  const { phase, waits, isDead = false } = one;
  const ticker = await RemoteTicker.start();
  const startedAt = epochMs();
  const isHeld = holdIn(phase, ticker);
  const resuming = ticker.hears(({ type }) => type === "resuming");
  const handover = ticker.handOver({ deadlines: { ...deadlines, ...expiring(one) } });
  const letGoOn = await isHeld;
  // A target that is frozen may wake up as soon as the source resumes: it had better be gone.
  const awayMs = await doHarm(one, ticker, letGoOn, Promise.race([resuming, handover]));
  const end = await handover;
  expect(end).toMatchObject(one.ends.find(({ outcome }) => outcome === end.outcome) ?? one.ends);
  ticker.onPlaced = () => {};
  if (isDead) {
    await expectDeath(ticker);
    return;
  }
  await ticker.collector.arrivals(10);
  const boundMs = waits.reduce((sum, wait) => sum + (wait === "worker" ? awayMs : deadlines[wait]), busyMs);
  expect(ticker.silenceMs(startedAt)).toBeLessThan(boundMs);
  await expectNextToComplete(ticker);
}

describe("a ticker in a handover", { timeout: 30_000 }, () => {
  it.each(cases)("loses and doubles nothing: $harm the $victim in $phase", run);

  it("loses and doubles nothing when its worker dies and comes back while its target is about to take over", async () => {
    const ticker = await RemoteTicker.start();
    const { worker, collector } = ticker;
    const isHeld = holdIn("apply", ticker);
    const handover = ticker.handOver();
    const letGoOn = await isHeld;
    await worker.kill();
    await worker.restart();
    expect(await handover).toMatchObject(aborted("apply"));
    letGoOn();
    await collector.arrivals(10);
    await expectNextToComplete(ticker);
  });

  it("doubles nothing when its source is frozen across the takeover and goes on before it is removed", async () => {
    const ticker = await RemoteTicker.start();
    const { collector, source } = ticker;
    const isHeld = holdIn("apply", ticker);
    const isCommitted = holdIn("commit", ticker);
    const handover = ticker.handOver();
    const takeOver = await isHeld;
    freeze(source?.pid);
    takeOver();
    const remove = await isCommitted;
    await collector.arrivals(10);
    thaw(source?.pid);
    await collector.arrivals(10);
    expect(ticker.livingPids().length).toBe(2);
    remove();
    expect(await handover).toMatchObject(completed);
    await expectNextToComplete(ticker);
  });

  it("is dead when its source is killed and its target after it", async () => {
    const ticker = await RemoteTicker.start();
    const isHeld = holdIn("ready", ticker);
    const handover = ticker.handOver();
    await isHeld;
    await ticker.source?.kill();
    await ticker.target?.kill();
    expect(await handover).toMatchObject(aborted("ready", "none"));
    await expectDeath(ticker);
  });
});
