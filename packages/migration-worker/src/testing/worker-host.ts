import type { Clock } from "../clock.js";
import type { WorkerEvent } from "../events.js";
import type { Placement } from "../placement.js";
import { Worker } from "../worker.js";
import { Life } from "./life.js";
import { MemoryJournal } from "./memory-journal.js";
import type { MemoryNetwork } from "./memory-network.js";

/** A worker while it lives. */
export interface RunningWorker {
  readonly worker: Worker;
  readonly life: Life;
  /** A placement as this worker sees it: what it asked for before its death is not carried out after it. */
  placement(placement: Placement): Placement;
}

export interface WorkerHostOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly network: MemoryNetwork;
  readonly onEvent: (event: WorkerEvent) => void;
  readonly onRestart: () => void;
  /** The instance that was placed for this migration, and for none the job's first one. */
  readonly findInstance: (migrationId: string | undefined) => Placement | undefined;
}

/** What a worker runs on: it can crash there, and is started again from its journal. */
export class WorkerHost {
  readonly #options: WorkerHostOptions;
  readonly #journal = new MemoryJournal();
  #running: Promise<RunningWorker>;
  #life: Life;

  constructor(options: WorkerHostOptions) {
    this.#options = options;
    this.#life = new Life(options.clock);
    this.#running = this.#start(this.#life);
  }

  /** The worker, once there is one. */
  async up(): Promise<RunningWorker> {
    for (;;) {
      const running = await this.#running;
      if (!running.life.isOver) return running;
    }
  }

  /** Ends the worker as a power failure does; false if there is none. */
  crash(restartAfterMs: number): boolean {
    if (this.#life.isOver) return false;
    this.stop();
    const { clock, onRestart } = this.#options;
    this.#running = new Promise((resolve) => {
      clock.setTimer(() => {
        onRestart();
        this.#life = new Life(clock);
        resolve(this.#start(this.#life));
      }, restartAfterMs);
    });
    return true;
  }

  stop(): void {
    this.#life.end();
  }

  async #start(life: Life): Promise<RunningWorker> {
    const { network, random, onEvent, findInstance } = this.#options;
    const scoped = (placement: Placement): Placement => ({
      gone: life.seen(placement.gone),
      remove: () => life.seen(life.isOver ? new Promise(() => {}) : placement.remove()),
    });
    const worker = new Worker(
      {
        clock: life.clock,
        random,
        listen: network.listenFor(life),
        openJournal: this.#journal.openedBy(life),
      },
      {
        host: "worker.test",
        port: 4321,
        journalDirectory: "in memory",
        recoverTarget: async ({ migrationId }) => {
          const found = findInstance(migrationId);
          return found && scoped(found);
        },
      },
    );
    worker.subscribe((event) => {
      if (!life.isOver) onEvent(event);
    });
    await worker.listen();
    for (const job of worker.jobs()) {
      const placement = findInstance(job.migrationId);
      if (placement) job.attach(scoped(placement));
    }
    return { worker, life, placement: scoped };
  }
}
