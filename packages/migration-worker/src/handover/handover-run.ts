import type { CommandFrame } from "@changeover/migration-protocol";
import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { JobEvent } from "../events.js";
import { checkPlacement, type Placement } from "../placement.js";
import { deadlineOf, type Deadlines } from "./deadlines.js";
import { PHASES, type HandoverEnd, type Phase } from "./end.js";
import {
  begin,
  transition,
  type Effect,
  type Handover,
  type Input,
  type Side,
  type SourceLost,
  type Step,
} from "./transition.js";

/** How long to wait before a target that must go is removed once more. */
const removeRetryMs = 1_000;

/**
 * When a step is written down. `must`: before anything follows from it, and if it cannot be, the handover is given up.
 * `first`: before, but nothing can be given up any more. `after`: what ends or undoes a handover is owed to its
 * instances first, for to hold that up for a full disk would leave somebody stopped.
 */
const isWritten: Record<Step["at"], "must" | "first" | "after"> = {
  propose: "must",
  place: "must",
  ready: "must",
  stop: "must",
  apply: "must",
  commit: "first",
  fence: "after",
  clear: "after",
  ended: "after",
};

function whenWritten(step: Step): "must" | "first" | "after" {
  // Where the source has died, the commit is the end: nobody may hear of it before the journal has it.
  if (step.at === "ended" && step.end.outcome === "completed") return "first";
  return isWritten[step.at];
}

/** What a run does to the world. */
export interface HandoverPorts {
  /** `deadlineMs` is what is left for the answer; absent where none is expected. */
  send(side: Side, frame: CommandFrame, deadlineMs: number | undefined): void;
  /** Writes down where the handover stands, before anything that follows from it happens; says why that failed. */
  persist(handover: Handover): string | undefined;
  placeTarget(signal: AbortSignal): Promise<Placement>;
  /** The target's placement, from the moment it is known. */
  targetPlaced(placement: Placement): void;
  /** What placed the source, where the worker was told. */
  sourcePlacement: Placement | undefined;
  resumeSource(reason: string, mayHaveStopped: boolean): void;
  promoteTarget(): void;
  emit(event: JobEvent): void;
  clock: Clock;
}

export interface HandoverRunOptions {
  jobId: string;
  migrationId: string;
  sourceLost: SourceLost;
  isDryRun: boolean;
  deadlines: Deadlines;
  isSourceConnected: boolean;
}

/** One handover from its first frame to its end: feeds inputs to the rules and carries out what they ask for. */
export class HandoverRun {
  readonly ended: Promise<HandoverEnd>;
  readonly #options: HandoverRunOptions;
  readonly #ports: HandoverPorts;
  readonly #placing = new AbortController();
  readonly #phasesMs: Partial<Record<Phase, number>> = {};
  readonly #queue: Input[] = [];
  readonly #resolve: (end: HandoverEnd) => void;
  readonly #firstEffects: readonly Effect[];
  #handover: Handover;
  #target: Promise<Placement> | undefined;
  #stepStartedAt: number;
  #stopTimer: (() => void) | undefined;
  #isBusy = false;

  constructor(options: HandoverRunOptions, ports: HandoverPorts) {
    this.#options = options;
    this.#ports = ports;
    let resolveEnded: (end: HandoverEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#resolve = resolveEnded;
    const { handover, effects } = begin(options, options.isSourceConnected);
    this.#handover = handover;
    this.#firstEffects = effects;
    this.#stepStartedAt = ports.clock.now();
  }

  /** Begins, once everything that can come of it is ready to be heard. */
  start(): void {
    const failure = this.#ports.persist(this.#handover);
    if (failure !== undefined) {
      this.#handover = { ...this.#handover, step: { at: "propose", isAsked: false } };
      this.input({ type: "journal-failed", reason: failure });
      return;
    }
    for (const effect of this.#firstEffects) this.#carryOut(effect);
    this.#enterStep();
    if (this.#ports.sourcePlacement) void this.#whenGone("source", this.#ports.sourcePlacement);
  }

  get migrationId(): string {
    return this.#options.migrationId;
  }

  /**
   * Applies an input and returns why it changes nothing, where that is so. Inputs that arrive while effects are carried
   * out wait for their turn.
   */
  input(input: Input): string | undefined {
    this.#queue.push(input);
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    let ignored: string | undefined;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const reason = this.#apply(next);
        if (next === input) ignored = reason;
      }
    } finally {
      this.#isBusy = false;
    }
    return ignored;
  }

  #apply(input: Input): string | undefined {
    const before = this.#handover.step;
    if (before.at === "ended") return "the handover has ended";
    const { handover, effects } = transition(this.#handover, input);
    const when = whenWritten(handover.step);
    if (when !== "after") {
      const failure = this.#ports.persist(handover);
      if (failure !== undefined && when === "must" && input.type !== "journal-failed") {
        return this.#apply({ type: "journal-failed", reason: failure });
      }
    }
    this.#handover = handover;
    const hasMoved = handover.step.at !== before.at;
    if (hasMoved) this.#leaveStep(before.at);
    if (input.type === "deadline" && (before.at === "clear" || before.at === "commit")) {
      const side = before.at === "commit" ? "source" : "target";
      this.#reportLeftBehind(side, `it was not known to be gone within ${input.afterMs} ms`);
    }
    for (const effect of effects) this.#carryOut(effect);
    if (when === "after") this.#ports.persist(handover);
    if (hasMoved) this.#enterStep();
    return effects.find((effect) => effect.type === "ignored")?.reason;
  }

  #leaveStep(at: Handover["step"]["at"]): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const phase = phaseNamed(at);
    const now = this.#ports.clock.now();
    if (phase) this.#phasesMs[phase] = now - this.#stepStartedAt;
    this.#stepStartedAt = now;
  }

  #enterStep(): void {
    const { step } = this.#handover;
    const { emit, clock } = this.#ports;
    const { jobId, migrationId, deadlines } = this.#options;
    const afterMs = deadlineOf(step, deadlines);
    if (afterMs !== undefined) {
      this.#stopTimer = clock.setTimer(() => this.input({ type: "deadline", afterMs }), afterMs);
    }
    const phase = phaseNamed(step.at);
    if (phase && afterMs !== undefined) emit({ type: "phase", migrationId, phase, deadlineMs: afterMs });
    if (step.at === "fence") emit({ type: "fencing", migrationId, phase: step.phase, reason: step.reason });
    if (step.at !== "ended") return;
    this.#placing.abort();
    const end = { ...step.end, jobId, migrationId, phasesMs: this.#phasesMs };
    this.#resolve(end);
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case "send":
        this.#send(effect.to, effect.frame);
        break;
      case "place":
        this.#place();
        break;
      case "remove":
        if (effect.side === "source") void this.#remove("source", this.#ports.sourcePlacement);
        else void this.#removeTarget();
        break;
      case "resume-source":
        this.#ports.resumeSource(effect.reason, effect.mayHaveStopped);
        break;
      case "promote":
        this.#ports.promoteTarget();
        break;
      case "ignored":
        this.#ports.emit({ type: "ignored", what: effect.input.type, reason: effect.reason });
        break;
    }
  }

  #send(side: Side, frame: CommandFrame): void {
    try {
      this.#ports.send(side, frame, this.#deadlineMs(frame));
    } catch (error) {
      this.input({ type: "send-failed", side, reason: `${frame.type}: ${messageOf(error)}` });
    }
  }

  /** What is left of the deadline for the answer to a frame. */
  #deadlineMs({ type }: CommandFrame): number | undefined {
    const { deadlines } = this.#options;
    const { step } = this.#handover;
    if (type === "abort") return undefined;
    // A target that was placed quickly prepares while the phase of its placing goes on.
    if (type === "initial-state" && step.at === "place") return deadlines.ready;
    const all = deadlineOf(step, deadlines);
    return all === undefined ? undefined : Math.max(0, all - (this.#ports.clock.now() - this.#stepStartedAt));
  }

  #place(): void {
    this.#target = this.#ports.placeTarget(this.#placing.signal);
    void this.#watch(this.#target);
  }

  async #watch(placing: Promise<Placement>): Promise<void> {
    let placement: Placement;
    try {
      placement = checkPlacement(await placing, "placeTarget");
    } catch (error) {
      this.input({ type: "place-failed", reason: messageOf(error) });
      return;
    }
    this.#ports.targetPlaced(placement);
    this.input({ type: "placed" });
    void this.#whenGone("target", placement);
  }

  async #whenGone(side: Side, placement: Placement): Promise<void> {
    try {
      const { reason } = await placement.gone;
      this.input({ type: "gone", side, reason });
    } catch (error) {
      this.#reportLeftBehind(side, `its placement cannot tell when it is gone: ${messageOf(error)}`);
    }
  }

  /** Also removes a target that is still being placed, as soon as it has been; even after this handover has ended. */
  async #removeTarget(): Promise<void> {
    this.#placing.abort();
    try {
      await this.#remove("target", await this.#target);
    } catch {
      // The placement failed: `place-failed` has said so.
    }
  }

  async #remove(side: Side, placement: Placement | undefined): Promise<void> {
    if (!placement) {
      this.#removeFailed(side, "nothing that could remove it was attached to the job");
      return;
    }
    try {
      await placement.remove();
    } catch (error) {
      this.#removeFailed(side, messageOf(error));
      // An engine that hiccups once must not leave it undecided who is active.
      if (this.#handover.step.at === "fence") {
        this.#ports.clock.setTimer(() => {
          if (this.#handover.step.at === "fence") void this.#remove(side, placement);
        }, removeRetryMs);
      }
    }
  }

  #removeFailed(side: Side, reason: string): void {
    this.#reportLeftBehind(side, reason);
    this.input({ type: "remove-failed", side, reason });
  }

  #reportLeftBehind(side: Side, reason: string): void {
    this.#ports.emit({ type: "remove-failed", migrationId: this.migrationId, side, reason });
  }
}

function phaseNamed(at: Handover["step"]["at"]): Phase | undefined {
  return PHASES.find((phase) => phase === at);
}
