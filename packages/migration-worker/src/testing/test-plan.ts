import type { JobToWorkerFrameV2, WorkerToJobFrameV2 } from "@changeover/migration-protocol";
import type { Deadlines } from "../handover/deadlines.js";
import type { Phase } from "../handover/end.js";
import type { SourceLost } from "../handover/handover.js";
import type { OnIndeterminate } from "../migration-worker.js";

/** Who takes part in a handover: the worker, and two instances of the job. */
export type Party = "source" | "target" | "worker";

/** The type of a message of the job socket. */
export type FrameName = (JobToWorkerFrameV2 | WorkerToJobFrameV2)["type"];

/**
 * What goes wrong with a message, or with the connection that carries it:
 *
 * - `drop`: it is lost with all that follows it in its direction, as a TCP connection delivers nothing behind a hole;
 *   a second later the connection breaks
 * - `repeat`: it arrives twice
 * - `cut`: it is lost, and the connection breaks at once
 * - `stall`: it is lost, and nothing arrives on this connection any more, not even its end
 * - `delayMs`: it arrives late, and what follows it in its direction no earlier
 */
export type MessageFault = "drop" | "repeat" | "cut" | "stall" | { readonly delayMs: number };

/**
 * A process that dies. When that happens at a message, a receiver that dies does not read it; anybody else dies right
 * after it was read. An instance does not come back: its placement says that it is gone. A worker is started again from
 * its journal after `restartAfterMs`, 1,000 by default.
 */
export type Crash = { readonly crash: Party; readonly restartAfterMs?: number };

/** One thing that goes wrong, once. */
export type Fault =
  | {
      /** The `nth` message, the first by default, that fits. */
      readonly at: { readonly frame: FrameName; readonly from?: Party; readonly to?: Party; readonly nth?: number };
      readonly do: MessageFault | Crash;
    }
  | {
      /** When the worker enters this phase for the `nth` time, the first by default. */
      readonly at: { readonly phase: Phase; readonly nth?: number };
      /** `cut` and `stall` are about every connection. */
      readonly do: "cut" | "stall" | Crash;
    };

/** What goes wrong at random, the same for the same seed. */
export interface RandomFaults {
  /** For each message, from 0 to 1. */
  readonly probability: number;
  /** What may happen to it. Default: `drop`, `repeat`, `cut`, `stall` and a delay of 200 ms. */
  readonly do?: readonly (MessageFault | Crash)[];
}

/** What a test does to a job, as plain data. Nothing is needed: without faults it is one clean handover. */
export interface TestPlan {
  /** An integer from which all chance comes: 1 by default. The same plan with the same seed is the same run. */
  readonly seed?: number;
  readonly faults?: readonly Fault[];
  readonly random?: RandomFaults;
  /** How many handovers to run, one after the other: 1 by default. They end early with a job that is dead. */
  readonly handovers?: number;
  /** How long the job runs before the first handover and after each, in virtual milliseconds: 1,000 by default. */
  readonly pauseMs?: number;
  /** Deadlines of the phases, as for `handover` of the worker. */
  readonly deadlines?: Partial<Deadlines>;
  readonly sourceLost?: SourceLost;
  readonly onIndeterminate?: OnIndeterminate;
  /** The phase in which the first handover is cancelled by whoever asked for it. */
  readonly cancelAt?: Phase;
  /** Whether instances can be removed: `works` by default. With `fails` a target that may be active stays in doubt. */
  readonly removal?: "works" | "fails";
  /** How long a message takes, in virtual milliseconds: 1 by default. */
  readonly latencyMs?: number;
}
