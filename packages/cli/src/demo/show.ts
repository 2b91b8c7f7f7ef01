import type { HandoverEnd, MigrationWorker, RegisteredJob, WorkerEvent } from "@changeover/migration-worker";
import { epochMs, type Tally } from "./collector.js";
import { RemoteCollector } from "./remote-collector.js";
import type { Instance, Stage } from "./stage.js";

/** Interval at which the ticker's numbers are due. */
const cadenceMs = 10;
/** Ticks that must arrive before and after whatever is measured, so that its silence has quiet to stand out from. */
const quietTicks = 15;
/** How long a job may take to start and to be heard. */
const startTimeoutMs = 20_000;

/** What a show needs of a worker, which may run in this process or in one of its own. */
export interface ShowWorker extends Pick<MigrationWorker, "handover" | "subscribe" | "unregister"> {
  register(jobId: string): RegisteredJob | Promise<RegisteredJob>;
}

/** Where a show is put on. */
export interface Theatre {
  readonly stage: Stage;
  readonly worker: ShowWorker;
  readonly signal: AbortSignal;
}

/** What a handover came to, and the longest silence around it. */
export interface Measured {
  readonly end: HandoverEnd;
  readonly silenceMs: number;
}

/** Harm done to an instance on the way; what it returns is awaited by nobody, but its failure is told. */
export type Harm = (
  event: WorkerEvent,
  instances: { source: Instance; target: Instance | undefined },
) => Promise<void> | undefined;

/** A ticker with the collector that checks it. */
export class Show {
  readonly jobId: string;
  readonly collector: RemoteCollector;
  readonly #theatre: Theatre;
  readonly #env: Record<string, string>;
  #active: Instance;

  private constructor(
    jobId: string,
    collector: RemoteCollector,
    theatre: Theatre,
    env: Record<string, string>,
    active: Instance,
  ) {
    this.jobId = jobId;
    this.collector = collector;
    this.#theatre = theatre;
    this.#env = env;
    this.#active = active;
  }

  /**
   * Starts a ticker and resolves when it is heard: as a job of the worker, or, with `isManaged` false, as a program that
   * nobody hands over.
   */
  static async start(
    jobId: string,
    theatre: Theatre,
    { env: given = {}, isManaged = true }: { env?: Record<string, string>; isManaged?: boolean } = {},
  ): Promise<Show> {
    const { stage, worker, signal } = theatre;
    const collector = await RemoteCollector.listen(stage.listenHost, signal);
    try {
      const env = { TICKER_COLLECTOR: `tcp://${stage.reachHost}:${collector.port}`, ...given };
      const job = isManaged ? await worker.register(jobId) : undefined;
      const active = await stage.start({ ...env, ...job?.env });
      job?.attach(active);
      const show = new Show(jobId, collector, theatre, env, active);
      await show.#untilHeard();
      return show;
    } catch (error) {
      await collector.close();
      throw error;
    }
  }

  /** Hands over to a fresh instance. */
  async handOver(harm: Harm = () => undefined): Promise<Measured> {
    const { stage, worker, signal } = this.#theatre;
    let target: Instance | undefined;
    let harmFailure: unknown;
    const startedAt = epochMs();
    const stopListening = worker.subscribe((event) => {
      harm(event, { source: this.#active, target })?.catch((error: unknown) => {
        harmFailure ??= error;
      });
    });
    const end = await worker.handover(this.jobId, {
      signal,
      placeTarget: async ({ env }) => {
        target = await stage.start({ ...this.#env, ...env });
        return target;
      },
    });
    stopListening();
    signal.throwIfAborted();
    if (harmFailure !== undefined) throw harmFailure;
    if (end.outcome === "completed" && target) this.#active = target;
    await this.#untilHeard();
    return { end, silenceMs: await this.#silenceMs(startedAt) };
  }

  /** Replaces the ticker the usual way: stop it, start the next. */
  async restart(): Promise<{ silenceMs: number; lost: number }> {
    const { lost: lostBefore } = await this.collector.tally();
    const startedAt = epochMs();
    await this.#active.remove();
    this.#active = await this.#theatre.stage.start(this.#env);
    await this.#untilHeard();
    const { lost } = await this.collector.tally();
    return { silenceMs: await this.#silenceMs(startedAt), lost: lost - lostBefore };
  }

  /** Ends the ticker and says what its collector counted. */
  async end(): Promise<Tally> {
    await this.#theatre.worker.unregister(this.jobId);
    await this.#active.remove();
    const tally = await this.collector.tally();
    await this.collector.close();
    return tally;
  }

  async #silenceMs(sinceMs: number): Promise<number> {
    return (await this.collector.longestIntervalMs(sinceMs)) - cadenceMs;
  }

  /** Waits for a while of ticks, but no longer than the job that sends them lives. */
  async #untilHeard(): Promise<void> {
    const death = this.#active.gone.then(({ reason }): never => {
      throw new Error(`the ticker of ${this.jobId} ended when it should run: ${reason}`);
    });
    await Promise.race([this.collector.arrivals(quietTicks, startTimeoutMs), death]);
  }
}
