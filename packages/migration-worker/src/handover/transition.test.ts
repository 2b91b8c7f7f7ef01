import { describe, expect, it } from "vitest";
import type { Effect, Handover, Input, SourceLost } from "./handover.js";
import { begin, transition } from "./transition.js";

/** Plays inputs one after the other and keeps all effects. */
function play(inputs: Input[], sourceLost: SourceLost = "promote"): { handover: Handover; effects: Effect[] } {
  const begun = begin({ migrationId: "m-1", sourceLost, isDryRun: false }, 2);
  let { handover } = begun;
  const effects = [...begun.effects];
  for (const input of inputs) {
    const next = transition(handover, input);
    handover = next.handover;
    effects.push(...next.effects);
  }
  return { handover, effects };
}

const untilReady: Input[] = [
  { type: "state", side: "source", payload: "s" },
  { type: "placed" },
  { type: "connected", side: "target", version: 1 },
];
const untilStop: Input[] = [...untilReady, { type: "target-ready", side: "target", payload: 5 }];
const untilApply: Input[] = [...untilStop, { type: "source-stopped-output", side: "source", payload: 6 }];
const untilCommit: Input[] = [...untilApply, { type: "target-applied", side: "target" }];

const everyInput: Input[] = [
  { type: "connected", side: "source", version: 1 },
  { type: "connected", side: "target", version: 1 },
  { type: "connected", side: "source", version: 2 },
  { type: "connected", side: "target", version: 2 },
  { type: "disconnected", side: "source" },
  { type: "disconnected", side: "target" },
  { type: "state", side: "source", payload: 1 },
  { type: "state-refused", side: "source", reason: "no" },
  { type: "placed" },
  { type: "place-failed", reason: "no image" },
  { type: "target-ready", side: "target", payload: 5 },
  { type: "source-stopped-output", side: "source", payload: 6 },
  { type: "target-applied", side: "target" },
  { type: "target-ready", side: "source", payload: 5 },
  { type: "target-applied", side: "source" },
  { type: "journal-failed", reason: "disk full" },
  { type: "restarted" },
  { type: "send-failed", side: "source", reason: "r" },
  { type: "send-failed", side: "target", reason: "r" },
  { type: "abort", side: "source", reason: "r" },
  { type: "abort", side: "target", reason: "r" },
  { type: "cancel", reason: "r" },
  { type: "deadline", afterMs: 1 },
  { type: "gone", side: "source", reason: "r" },
  { type: "gone", side: "target", reason: "r" },
  { type: "remove-failed", side: "source", reason: "r" },
  { type: "remove-failed", side: "target", reason: "r" },
];

describe("the rules of a handover", () => {
  it("go through all phases and promote the target before the source is removed", () => {
    const { handover, effects } = play([...untilCommit, { type: "gone", side: "source", reason: "removed" }]);
    expect(handover.step).toEqual({ at: "ended", end: { outcome: "completed" } });
    expect(effects.map((effect) => (effect.type === "send" ? effect.frame.type : effect.type))).toEqual([
      "get-state",
      "place",
      "initial-state",
      "cutover-ready",
      "cutover-apply",
      "promote",
      "remove",
    ]);
  });

  it("let the source resume at once where the target was never told to take over", () => {
    for (const inputs of [untilReady, untilStop, [...untilStop, { type: "disconnected", side: "target" } as const]]) {
      const { effects } = play([
        ...inputs,
        { type: "source-stopped-output", side: "source", payload: 6 },
        { type: "deadline", afterMs: 1 },
      ]);
      const told = effects.some((effect) => effect.type === "send" && effect.frame.type === "cutover-apply");
      const resumed = effects.findIndex((effect) => effect.type === "resume-source");
      const removed = effects.findIndex((effect) => effect.type === "remove");
      expect(removed).toBeGreaterThan(-1);
      expect(resumed > -1 && resumed < removed).toBe(!told);
    }
  });

  it.each<Input>([
    { type: "deadline", afterMs: 1 },
    { type: "abort", side: "target", reason: "r" },
    { type: "abort", side: "source", reason: "r" },
  ])("fence a target that was told to take over, after $type", (input) => {
    const fencing = play([...untilApply, input]);
    expect(fencing.handover.step).toMatchObject({ at: "fence", phase: "apply" });
    expect(fencing.effects.at(-1)).toEqual({ type: "remove", side: "target" });
    expect(fencing.effects).not.toContainEqual(expect.objectContaining({ type: "resume-source" }));

    const gone = transition(fencing.handover, { type: "gone", side: "target", reason: "removed" });
    expect(gone.effects).toEqual([expect.objectContaining({ type: "resume-source" })]);
    expect(gone.handover.step).toMatchObject({ at: "ended", end: { outcome: "aborted", active: "source" } });

    const late = transition(fencing.handover, { type: "target-applied", side: "target" });
    expect(late.handover.step.at).toBe("fence");
  });

  it("tell the source of no resumption while the fencing is undecided, and end as indeterminate", () => {
    const { handover, effects } = play([
      ...untilApply,
      { type: "deadline", afterMs: 1 },
      { type: "remove-failed", side: "target", reason: "no engine" },
      { type: "deadline", afterMs: 2 },
    ]);
    expect(handover.step).toMatchObject({ at: "ended", end: { outcome: "indeterminate", phase: "apply" } });
    expect(effects).not.toContainEqual(expect.objectContaining({ type: "resume-source" }));
  });

  it("send a cutover once, when its receiver is connected", () => {
    const away = play([
      ...untilReady,
      { type: "disconnected", side: "source" },
      { type: "target-ready", side: "target", payload: 5 },
    ]);
    expect(away.handover.step).toEqual({ at: "stop.waiting", position: 5 });
    const back = transition(away.handover, { type: "connected", side: "source", version: 1 });
    expect(back.effects).toEqual([
      { type: "send", to: "source", frame: { type: "cutover-ready", migrationId: "m-1", payload: 5 } },
    ]);
    expect(transition(back.handover, { type: "connected", side: "source", version: 1 }).effects).toEqual([]);
    expect(transition(back.handover, { type: "connected", side: "source", version: 2 }).effects).toEqual(back.effects);
  });

  it("end a death of the source by what the control plane chose", () => {
    const death: Input = { type: "gone", side: "source", reason: "killed" };
    expect(play([...untilStop, death]).effects.at(-1)).toMatchObject({ frame: { type: "cutover-apply", payload: 5 } });
    const aborted = play([...untilStop, death], "abort");
    const cleared = transition(aborted.handover, { type: "gone", side: "target", reason: "removed" });
    expect(cleared.handover.step).toMatchObject({ at: "ended", end: { outcome: "aborted", active: "none" } });
    expect(aborted.effects).not.toContainEqual(expect.objectContaining({ type: "resume-source" }));
  });

  it("say that nobody is active where the source dies while the target is being removed", () => {
    const { handover } = play([
      ...untilReady,
      { type: "deadline", afterMs: 1 },
      { type: "gone", side: "source", reason: "killed" },
      { type: "gone", side: "target", reason: "removed" },
    ]);
    expect(handover.step).toMatchObject({ at: "ended", end: { outcome: "aborted", active: "none" } });
  });

  it("take no report from the wrong side: a source may repeat what it said as the target of an earlier handover", () => {
    const { handover } = play([...untilApply, { type: "target-applied", side: "source" }]);
    expect(handover.step.at).toBe("apply");
  });

  it("tell a source that was never asked nothing of an abort", () => {
    const { handover } = begin({ migrationId: "m-1", sourceLost: "promote", isDryRun: false }, undefined);
    const { effects } = transition(handover, { type: "cancel", reason: "r" });
    expect(effects).toEqual([]);
  });

  it("place nothing and stop nobody in a dry run", () => {
    const begun = begin({ migrationId: "m-1", sourceLost: "promote", isDryRun: true }, 2);
    const { handover, effects } = transition(begun.handover, { type: "state", side: "source", payload: { größe: 1 } });
    expect(handover.step).toEqual({ at: "ended", end: { outcome: "willing", stateBytes: 13 } });
    expect(effects).toEqual([{ type: "resume-source", reason: "it was a dry run", mayHaveStopped: false }]);
  });

  it("change nothing after the end", () => {
    const { handover } = play([{ type: "state-refused", side: "source", reason: "no" }]);
    for (const input of everyInput) {
      const after = transition(handover, input);
      expect(after.handover.step).toBe(handover.step);
      expect(after.effects.filter(({ type }) => type !== "ignored")).toEqual([]);
    }
  });
});

interface Told {
  apply: boolean;
  resume: boolean;
  isTargetGone: boolean;
}

/** What a sequence of inputs broke, as the inputs that led there. */
function* broken(handover: Handover, told: Told, path: Input[], depth: number): Generator<string> {
  const { step } = handover;
  const where = JSON.stringify(path);
  if (step.at === "ended") {
    const isSourceActive = step.end.outcome === "aborted" && step.end.active === "source";
    if (isSourceActive && !told.resume) yield `the source is said to be active but was not told: ${where}`;
    return;
  }
  let last = handover;
  for (let i = 0; i < 3; i++) last = transition(last, { type: "deadline", afterMs: 1 }).handover;
  if (last.step.at !== "ended") yield `deadlines do not lead to an end: ${where}`;
  if (depth === 0) return;
  for (const input of everyInput) {
    const next = transition(handover, input);
    const isTargetGone = told.isTargetGone || (input.type === "gone" && input.side === "target");
    const resumes = next.effects.some((effect) => effect.type === "resume-source");
    const applies = next.effects.some((effect) => effect.type === "send" && effect.frame.type === "cutover-apply");
    const nextPath = [...path, input];
    if (resumes && told.apply && !isTargetGone) yield `two may be active: ${JSON.stringify(nextPath)}`;
    if (applies && told.resume)
      yield `the target is told to take over from a source that resumed: ${JSON.stringify(nextPath)}`;
    const nextTold = { apply: told.apply || applies, resume: told.resume || resumes, isTargetGone };
    yield* broken(next.handover, nextTold, nextPath, depth - 1);
  }
}

describe.each([
  ["propose", []],
  ["ready", untilReady],
  ["stop", untilStop],
  ["apply", untilApply],
  ["commit", untilCommit],
])("every sequence of three inputs from %s on", (_phase, prefix) => {
  it.each<SourceLost>(["promote", "abort"])("keeps the promises with sourceLost: %s", (sourceLost) => {
    const { handover } = play(prefix, sourceLost);
    const told = { apply: prefix.length >= untilApply.length, resume: false, isTargetGone: false };
    expect([...broken(handover, told, [], 3)]).toEqual([]);
  });
});
