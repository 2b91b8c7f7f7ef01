import { CLOSE_CODE } from "@changeover/migration-protocol";
import type { Clock } from "../clock.js";
import { messageOf } from "../errors.js";
import type { JobEvent } from "../events.js";
import type { Step } from "../handover/handover.js";
import type { JobConnection } from "../job-connection.js";
import { goneReason, type Placement } from "../placement.js";
import { HandoverRun, type HandoverRunOptions } from "./handover-run.js";
import { instanceById, instanceOn, refusalOf, sideOf, type InstanceState, type JobState } from "./job-state.js";
import type { Remover } from "./remover.js";
import {
  jobTransition,
  withheld,
  type BeginInput,
  type JobEffect,
  type JobInput,
  type JobTransition,
} from "./job-transition.js";

/** What a job needs of its worker. */
export interface JobPorts {
  readonly clock: Clock;
  readonly remover: Remover;
  /** Writes the job down; says why that failed. */
  write(): string | undefined;
  emit(event: JobEvent): void;
  /** The instance is no longer part of the job: its token is void. */
  retired(id: string): void;
}

/** What came of an input. */
type Reception = Pick<JobTransition, "violation" | "ignored">;

/** Work that outlives its instances: feeds what happens to the rules, and carries out what they ask for. */
export class Job {
  readonly jobId: string;
  readonly capabilities: readonly string[];
  readonly #ports: JobPorts;
  readonly #connections = new Map<string, JobConnection>();
  readonly #placements = new Map<string, Placement>();
  readonly #queue: JobInput[] = [];
  #state: JobState;
  #run: HandoverRun | undefined;
  #isBusy = false;
  /** A handover has been asked for by somebody who heard an event, and begins when that has been dealt with. */
  #isBeginning = false;

  constructor(names: { jobId: string; capabilities: readonly string[] }, state: JobState, ports: JobPorts) {
    this.jobId = names.jobId;
    this.capabilities = names.capabilities;
    this.#state = state;
    this.#ports = ports;
  }

  get state(): JobState {
    return this.#state;
  }

  /** The end of the handover in flight. */
  get ended(): HandoverRun["ended"] | undefined {
    return this.#inFlight?.ended;
  }

  /** Why a handover cannot begin. */
  get refusal(): string | undefined {
    return this.#isBeginning ? `handover ${this.#run?.migrationId} of this job is in flight` : refusalOf(this.#state);
  }

  handOver(begin: Omit<BeginInput, "type" | "fencingMs">, options: HandoverRunOptions): HandoverRun["ended"] {
    const run = this.#newRun(begin.targetId, options);
    this.#isBeginning = true;
    this.input({ type: "begin", ...begin, fencingMs: options.deadlines.fencing });
    return run.ended;
  }

  /** Ends, by the rules, the handover that a worker which has died left over. */
  recover(options: Omit<HandoverRunOptions, "jobId" | "migrationId" | "place">, target: Placement): void {
    const { handover, other } = this.#state;
    if (!handover) return;
    const { migrationId } = handover.rules;
    const { jobId } = this;
    const place = (): Promise<never> => Promise.reject(new Error("it has been placed"));
    const run = this.#newRun(handover.targetId, { ...options, jobId, migrationId, place });
    if (other) run.adopt(target);
    this.input({ type: "handover", migrationId, input: { type: "restarted" } });
  }

  cancel(reason: string): void {
    const run = this.#inFlight;
    if (run) this.input({ type: "handover", migrationId: run.migrationId, input: { type: "cancel", reason } });
  }

  /** What could not be written down is now. */
  written(): void {
    const run = this.#inFlight;
    if (run) this.input({ type: "handover", migrationId: run.migrationId, input: { type: "journal-written" } });
  }

  /** Lets go of a handover in flight, which the journal has. */
  abandon(why: Error): void {
    this.#run?.stop(why);
  }

  attach(id: string, placement: Placement): void {
    // A target may come when its handover has ended: whoever removes it has its placement.
    if (instanceById(this.#state, id)) this.#placements.set(id, placement);
    this.input({ type: "attached", who: id });
    void this.#whenGone(id, placement);
  }

  connected(id: string, connection: JobConnection, session: string | undefined): void {
    const older = this.#connections.get(id);
    this.#connections.set(id, connection);
    older?.close(CLOSE_CODE.superseded, "a newer connection of this instance took over");
    this.input({ type: "hello", from: id, version: connection.version, session });
  }

  /** False for a late close of an older connection, which says nothing about the newer one. */
  isCurrent(id: string, connection: JobConnection): boolean {
    return this.#connections.get(id) === connection;
  }

  disconnected(id: string): void {
    this.#connections.delete(id);
    this.input({ type: "closed", from: id });
  }

  /**
   * Applies an input and returns what came of it. Inputs that arrive while effects are carried out wait for their turn.
   */
  input(input: JobInput): Reception {
    this.#queue.push(input);
    if (this.#isBusy) return {};
    this.#isBusy = true;
    let reception: Reception = {};
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const came = this.#apply(next);
        if (next === input) reception = came;
      }
    } finally {
      this.#isBusy = false;
    }
    return reception;
  }

  /** Disconnects all instances for good. */
  retireAll(): void {
    for (const instance of instancesOf(this.#state)) this.#retire(instance);
  }

  get #inFlight(): HandoverRun | undefined {
    const { handover } = this.#state;
    const isInFlight = handover !== undefined && handover.rules.step.at !== "ended";
    return isInFlight || this.#isBeginning ? this.#run : undefined;
  }

  #newRun(targetId: string, options: HandoverRunOptions): HandoverRun {
    const { migrationId } = options;
    const run = new HandoverRun(options, {
      clock: this.#ports.clock,
      remover: this.#ports.remover,
      emit: this.#ports.emit,
      input: (input) => void this.input({ type: "handover", migrationId, input }),
      targetPlaced: (placement) => this.attach(targetId, placement),
    });
    this.#run = run;
    return run;
  }

  #apply(input: JobInput): Reception {
    const before = this.#state;
    if (input.type === "begin") this.#isBeginning = false;
    const { job, effects, ...reception } = jobTransition(before, input);
    const run = this.#run;
    this.#state = job;
    // What stands before a write that is required is owed whatever becomes of it.
    const required = effects.findIndex((effect) => effect.type === "write" && effect.isRequired);
    for (const effect of effects.slice(0, Math.max(0, required))) this.#carryOut(effect, before, run);
    const failure = required < 0 ? undefined : this.#ports.write();
    if (failure !== undefined) return this.#withhold(before, failure);

    const step = job.handover?.rules.step;
    const from = run?.isEntered ? before.handover?.rules.step : undefined;
    const hasMoved = step?.at !== from?.at;
    if (from && hasMoved) run?.leave(from);
    if (job.handover?.rules.sourceGone !== undefined) run?.stopped();
    if (from) this.#reportLeftBehind(input, from, run);
    for (const effect of effects.slice(required + 1)) this.#carryOut(effect, before, run);
    if (step && step.at !== "ended" && hasMoved) run?.enter(step, from);
    return reception;
  }

  /** A handover ends although what it removes is not known to be gone: somebody has to look. */
  #reportLeftBehind(input: JobInput, from: Step, run: HandoverRun | undefined): void {
    if (input.type !== "handover" || input.input.type !== "deadline") return;
    const reason = `it was not known to be gone within ${input.input.afterMs} ms`;
    if (from.at === "clear") run?.reportLeftBehind("target", reason);
    if (from.at === "commit") run?.reportLeftBehind("source", reason);
  }

  /** What was to happen next could not be written down, so it does not. */
  #withhold(before: JobState, reason: string): Reception {
    this.#state = withheld(before, this.#state);
    const migrationId = this.#state.handover?.rules.migrationId ?? "";
    return this.#apply({ type: "handover", migrationId, input: { type: "journal-failed", reason } });
  }

  #carryOut(effect: JobEffect, before: JobState, run: HandoverRun | undefined): void {
    switch (effect.type) {
      case "write":
        this.#ports.write();
        break;
      case "send":
        this.#send(effect, run);
        break;
      case "place":
        run?.place();
        break;
      case "remove":
        if (effect.side === "target") void run?.removeTarget();
        else void run?.removeSource(this.#placements.get(instanceOn(this.#state, "source")?.id ?? ""));
        break;
      case "ended": {
        for (const instance of instancesOf(before)) {
          if (!instanceById(this.#state, instance.id)) this.#retire(instance);
        }
        const end = run?.end(effect.end);
        if (end) this.#ports.emit({ type: "ended", migrationId: effect.migrationId, end });
        break;
      }
      case "resuming":
      case "ignored":
        this.#ports.emit(effect);
        break;
    }
  }

  #send({ to, frame, epoch }: Extract<JobEffect, { type: "send" }>, run: HandoverRun | undefined): void {
    const connection = this.#connections.get(to);
    const step: Step | undefined = this.#state.handover?.rules.step;
    try {
      if (connection?.version !== 2) {
        if (frame.type !== "committed") connection?.send(frame);
        return;
      }
      if (frame.type === "committed") {
        connection.send(frame);
        return;
      }
      const deadlineMs = step && run?.deadlineMs(frame, step);
      connection.send({ ...frame, epoch, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
    } catch (error) {
      const reason = `${frame.type}: ${error instanceof Error ? error.message : String(error)}`;
      const input = { type: "send-failed", side: sideOf(this.#state, to), reason } as const;
      this.input({ type: "handover", migrationId: frame.migrationId, input });
    }
  }

  async #whenGone(id: string, placement: Placement): Promise<void> {
    let reason: string;
    try {
      reason = goneReason(await placement.gone);
    } catch (error) {
      // Nobody waits for the end of an instance between handovers.
      if (this.#inFlight)
        this.#run?.reportLeftBehind(
          sideOf(this.#state, id),
          `its placement cannot tell when it is gone: ${messageOf(error)}`,
        );
      return;
    }
    // Another placement was attached since: that one tells now.
    if ((this.#placements.get(id) ?? placement) !== placement) return;
    const side = sideOf(this.#state, id);
    const isRemoved = this.#run?.removes(side) === true && this.#state.handover !== undefined;
    if (instanceById(this.#state, id) && !isRemoved) this.#ports.emit({ type: "gone", side, reason });
    this.input({ type: "gone", who: id, reason });
  }

  #retire({ id, side }: InstanceState): void {
    this.#placements.delete(id);
    this.#ports.retired(id);
    const connection = this.#connections.get(id);
    if (!connection) return;
    this.#connections.delete(id);
    const code = CLOSE_CODE.unknownToken;
    const reason = "this instance is no longer part of the job";
    connection.close(code, reason);
    this.#ports.emit({ type: "disconnected", side, code, reason });
  }
}

function instancesOf({ active, other }: JobState): readonly InstanceState[] {
  return other ? [active, other] : [active];
}
