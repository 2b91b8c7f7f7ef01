import type { CommandFrame, CommittedFrame } from "@changeover/migration-protocol";
import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { JobEvent } from "../events.js";
import { deadlineOf, type Deadlines } from "../handover/deadlines.js";
import type { End, HandoverEnd, Phase } from "../handover/end.js";
import { phaseNamed, type Input, type Side, type Step } from "../handover/handover.js";
import { checkPlacement, type Placement } from "../placement.js";
import type { Remover } from "./remover.js";

export interface HandoverRunOptions {
  readonly jobId: string;
  readonly migrationId: string;
  readonly deadlines: Deadlines;
  /** Starts the target. */
  place(signal: AbortSignal): Promise<Placement>;
}

/** What a run needs of its job. */
export interface HandoverRunPorts {
  readonly clock: Clock;
  readonly remover: Remover;
  input(input: Input): void;
  /** The target's placement, from the moment that it is known. */
  targetPlaced(placement: Placement): void;
  emit(event: JobEvent): void;
}

/** What a handover has in the world: its deadlines, its times, and the instances that it starts and removes. */
export class HandoverRun {
  readonly ended: Promise<HandoverEnd>;
  readonly #options: HandoverRunOptions;
  readonly #ports: HandoverRunPorts;
  readonly #placing = new AbortController();
  readonly #phasesMs: Partial<Record<Phase, number>> = {};
  readonly #removed = new Set<Side>();
  readonly #resolve: (end: HandoverEnd) => void;
  readonly #reject: (error: Error) => void;
  #target: Promise<Placement> | undefined;
  #stepStartedAt: number;
  #isEntered = false;
  /** When the output stopped and when it went on, as this worker heard of it. */
  #stoppedAt: number | undefined;
  #wentOnAt: number | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: HandoverRunOptions, ports: HandoverRunPorts) {
    this.#options = options;
    this.#ports = ports;
    let resolveEnded: (end: HandoverEnd) => void = () => {};
    let rejectEnded: (error: Error) => void = () => {};
    this.ended = new Promise((resolve, reject) => {
      resolveEnded = resolve;
      rejectEnded = reject;
    });
    // One that a restart left over has nobody who waits for its end.
    this.ended.catch(() => {});
    this.#resolve = resolveEnded;
    this.#reject = rejectEnded;
    this.#stepStartedAt = ports.clock.now();
  }

  get migrationId(): string {
    return this.#options.migrationId;
  }

  /** Whether this handover removes what is the source or the target in it. */
  removes(side: Side): boolean {
    return this.#removed.has(side);
  }

  /** The target of a handover that another worker had begun. */
  adopt(target: Placement): void {
    this.#target = Promise.resolve(target);
    this.#ports.targetPlaced(target);
  }

  /** False for a moment in a handover that begins, or that a restart left over. */
  get isEntered(): boolean {
    return this.#isEntered;
  }

  leave(step: Step): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const phase = phaseNamed(step.at);
    const now = this.#ports.clock.now();
    if (phase === "apply") this.#wentOnAt = now;
    if (phase) this.#phasesMs[phase] = (this.#phasesMs[phase] ?? 0) + now - this.#stepStartedAt;
    this.#stepStartedAt = now;
  }

  /** `from` is the step before: one phase may have several steps, and its deadline is one. */
  enter(step: Step, from: Step | undefined): void {
    const { clock, emit, input } = this.#ports;
    const { migrationId, deadlines } = this.#options;
    this.#isEntered = true;
    const afterMs = deadlineOf(step, deadlines);
    const phase = phaseNamed(step.at);
    if (phase === "apply") this.stopped();
    const isNewPhase = phase === undefined || from === undefined || phase !== phaseNamed(from.at);
    if (afterMs !== undefined) {
      const spentMs = phase === undefined || isNewPhase ? 0 : (this.#phasesMs[phase] ?? 0);
      this.#stopTimer = clock.setTimer(() => input({ type: "deadline", afterMs }), Math.max(0, afterMs - spentMs));
    }
    if (phase && isNewPhase && afterMs !== undefined) emit({ type: "phase", migrationId, phase, deadlineMs: afterMs });
    if (step.at === "fence") emit({ type: "fencing", migrationId, phase: step.phase, reason: step.reason });
  }

  /** The source has stopped, or is dead. */
  stopped(): void {
    this.#stoppedAt ??= this.#ports.clock.now();
  }

  /** What is left of the deadline for the answer to a frame that is sent in a step. */
  deadlineMs({ type }: CommandFrame | CommittedFrame, step: Step): number | undefined {
    const { deadlines } = this.#options;
    if (type === "abort" || type === "committed") return undefined;
    // A target that was placed quickly prepares while the phase of its placing goes on.
    if (type === "initial-state" && step.at === "place") return deadlines.ready;
    const all = deadlineOf(step, deadlines);
    const phase = phaseNamed(step.at);
    const spentMs = this.#ports.clock.now() - this.#stepStartedAt + (phase ? (this.#phasesMs[phase] ?? 0) : 0);
    return all === undefined ? undefined : Math.max(0, all - spentMs);
  }

  place(): void {
    const placing = this.#options.place(this.#placing.signal);
    this.#target = placing;
    void this.#watch(placing);
  }

  /** Removes the target as soon as it has been placed, even after this handover has ended. */
  async removeTarget(): Promise<void> {
    this.#removed.add("target");
    this.#placing.abort();
    try {
      const placement = await this.#target;
      if (placement) await this.#remove("target", placement);
    } catch {
      // The placement failed: `place-failed` has said so.
    }
  }

  async removeSource(placement: Placement | undefined): Promise<void> {
    this.#removed.add("source");
    if (placement) await this.#remove("source", placement);
    else this.#removeFailed("source", "nothing that could remove it was attached to the job");
  }

  reportLeftBehind(side: Side, reason: string): void {
    this.#ports.emit({ type: "remove-failed", migrationId: this.migrationId, side, reason });
  }

  end(end: End): HandoverEnd {
    const { jobId, migrationId } = this.#options;
    this.#placing.abort();
    const isMeasured = end.outcome === "completed" && this.#wentOnAt !== undefined && this.#stoppedAt !== undefined;
    const gap = isMeasured ? { outputGapMs: (this.#wentOnAt ?? 0) - (this.#stoppedAt ?? 0) } : {};
    const handoverEnd = { ...end, ...gap, jobId, migrationId, phasesMs: this.#phasesMs };
    this.#resolve(handoverEnd);
    return handoverEnd;
  }

  /** Lets go of the world: its handover goes on in another worker, or has ended. */
  stop(why?: Error): void {
    this.#stopTimer?.();
    if (why) this.#reject(why);
  }

  async #watch(placing: Promise<Placement>): Promise<void> {
    let placement: Placement;
    try {
      placement = checkPlacement(await placing, "placeTarget");
    } catch (error) {
      this.#ports.input({ type: "place-failed", reason: messageOf(error) });
      return;
    }
    // Known before anybody is told: whoever hears of it may want to remove it.
    this.#ports.targetPlaced(placement);
    this.#ports.input({ type: "placed" });
  }

  async #remove(side: Side, placement: Placement): Promise<void> {
    await this.#ports.remover.remove(placement, (reason) => this.#removeFailed(side, reason));
  }

  #removeFailed(side: Side, reason: string): void {
    this.reportLeftBehind(side, reason);
    this.#ports.input({ type: "remove-failed", side, reason });
  }
}
