import { setTimeout } from "node:timers/promises";
import type { Active, Deadlines, HandoverEnd, Phase } from "@changeover/migration-worker";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { epochMs } from "../src/demo/collector.js";
import { freeze, RemoteTicker, stopTimeoutMs, thaw } from "./remote-ticker.js";

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
  end: Expected;
  /** The deadlines that may pass, one after the other, while nobody produces output. */
  waits: (keyof Deadlines)[];
  /** The job's only instance has died with it. */
  isDead?: boolean;
}

const row = (harm: Harm, victim: Victim, phase: Phase, end: Expected, waits: Case["waits"] = []): Case => ({
  harm,
  victim,
  phase,
  end,
  waits,
});

const cases: Case[] = [
  // Whoever is active goes on without the worker. A source that has stopped waits until the worker is back.
  row("kill", "worker", "propose", aborted("propose")),
  row("kill", "worker", "place", aborted("place")),
  row("kill", "worker", "ready", aborted("ready")),
  row("kill", "worker", "stop", aborted("stop")),
  row("kill", "worker", "apply", aborted("apply")),
  row("kill", "worker", "commit", completed),
  // When the worker goes on, the deadline of the phase has passed.
  row("freeze", "worker", "propose", aborted("propose")),
  row("freeze", "worker", "place", aborted("place")),
  row("freeze", "worker", "ready", aborted("ready")),
  row("freeze", "worker", "stop", aborted("stop"), ["stop"]),
  row("freeze", "worker", "apply", aborted("apply"), ["stop", "apply", "fencing"]),
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
      await ticker.entered(phase);
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
      await ticker.entered(phase);
      return () => thaw(ticker.target?.pid);
    case "stop":
      await collector.holdNextEnd();
      return () => collector.release();
    case "apply":
      await collector.holdNextConnection();
      return () => collector.release();
    case "commit":
      await ticker.entered("stop");
      ticker.beforeRemoval = hold;
      await ticker.entered(phase);
      return release;
  }
}

/** Harms a process in a phase, and returns what came of it. `letGoOn` ends the hold on the phase. */
async function harm(
  { harm, victim, phase }: Case,
  ticker: RemoteTicker,
  letGoOn: () => void,
  ended: Promise<unknown>,
): Promise<{ downMs: number }> {
  const { worker } = ticker;
  if (victim === "worker") {
    const since = epochMs();
    if (harm === "kill") {
      await worker.kill();
      await worker.restart();
    } else {
      freeze(worker.pid);
      letGoOn();
      await setTimeout(frozenWorkerMs);
      thaw(worker.pid);
    }
    letGoOn();
    return { downMs: epochMs() - since + reconnectMs + stopTimeoutMs };
  }
  const instance = victim === "source" ? ticker.source : ticker.target;
  if (harm === "kill") {
    await instance?.kill();
    letGoOn();
    return { downMs: 0 };
  }
  freeze(instance?.pid);
  // What is held in these phases is the victim itself.
  const isHeldItself = (victim === "source" && phase === "propose") || (victim === "target" && phase === "ready");
  if (!isHeldItself) letGoOn();
  await ended;
  thaw(instance?.pid);
  return { downMs: 0 };
}

/** Deadlines that expire in this case without holding up the output, so that it does not take long. */
function expiring({ harm, victim, phase }: Case): Partial<Deadlines> {
  if (harm === "kill") return {};
  if (victim === "worker") return { [phase === "commit" ? "fencing" : phase]: shortMs };
  return victim === "target" && (phase === "place" || phase === "ready") ? { ready: shortMs } : {};
}

async function expectNextToComplete(ticker: RemoteTicker): Promise<void> {
  expect(await ticker.handOver()).toMatchObject(completed);
  await ticker.collector.arrivals(20);
  await eventually(() => expect([...ticker.living]).toEqual([ticker.source]));
  expect(ticker.collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
}

async function expectDeath(ticker: RemoteTicker): Promise<void> {
  await eventually(() => expect([...ticker.living]).toEqual([]));
  expect(await ticker.handOver()).toMatchObject(aborted("propose", "none"));
  expect(ticker.collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
}

async function run(one: Case): Promise<void> {
  const { phase, waits, isDead = false } = one;
  const ticker = await RemoteTicker.start();
  const startedAt = epochMs();
  const isHeld = holdIn(phase, ticker);
  const handover = ticker.handOver({ deadlines: { ...deadlines, ...expiring(one) } });
  const letGoOn = await isHeld;
  const { downMs } = await harm(one, ticker, letGoOn, handover);
  expect(await handover).toMatchObject(one.end);
  ticker.onPlaced = () => {};
  if (isDead) {
    await expectDeath(ticker);
    return;
  }
  await ticker.collector.arrivals(20);
  const boundMs = waits.reduce((sum, deadline) => sum + deadlines[deadline], downMs + busyMs);
  expect(ticker.silenceMs(startedAt)).toBeLessThan(boundMs);
  await expectNextToComplete(ticker);
}

describe("a ticker in a handover", { timeout: 30_000 }, () => {
  it.each(cases)("loses and doubles nothing: $harm the $victim in $phase", run);

  it("loses and doubles nothing when its target takes over and the worker dies before it hears of that", async () => {
    const ticker = await RemoteTicker.start();
    const { worker, collector } = ticker;
    const isHeld = holdIn("apply", ticker);
    const handover = ticker.handOver();
    const letGoOn = await isHeld;
    await worker.kill();
    letGoOn();
    await collector.arrivals(20);
    await worker.restart();
    expect(await handover).toMatchObject(aborted("apply"));
    await collector.arrivals(20);
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
    await collector.arrivals(20);
    thaw(source?.pid);
    await collector.arrivals(20);
    expect(ticker.living.size).toBe(2);
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
