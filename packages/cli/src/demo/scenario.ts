import type { HandoverEnd, MigrationWorker, WorkerEvent } from "@changeover/migration-worker";
import { epochMs } from "./collector.js";
import { RemoteCollector } from "./remote-collector.js";
import { median, medianPhasesMs, roundMs, type DemoReport } from "./report.js";
import type { Instance, Stage } from "./stage.js";

/** Interval at which the ticker's numbers are due. */
const cadenceMs = 10;
const handoversInARow = 10;
/** Ticks that must arrive before and after each handover, so that its silence has quiet to stand out from. */
const quietTicks = 15;
/** How long a job may take to start and to be heard. */
const startTimeoutMs = 20_000;

/** What the scenario tells whoever watches. */
export interface Watcher {
  chapter(title: string): void;
  begin(what: string): void;
  progress(event: WorkerEvent): void;
  done(what: string): void;
}

/** Something did not end as the rules of a handover say. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
}

/** The ticker with the collector that checks it. */
interface Show {
  readonly jobId: string;
  readonly collector: RemoteCollector;
  active: Instance;
}

/** Runs the whole demo and measures it. */
export async function runScenario(
  stage: Stage,
  worker: MigrationWorker,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<DemoReport> {
  const collectors: RemoteCollector[] = [];
  const unsubscribe = worker.subscribe((event) => watcher.progress(event));
  try {
    return await run();
  } finally {
    unsubscribe();
    await Promise.all(collectors.map((collector) => collector.close()));
  }

  async function collect(): Promise<RemoteCollector> {
    const collector = await RemoteCollector.listen(stage.listenHost, signal);
    collectors.push(collector);
    return collector;
  }

  function jobEnv(collector: RemoteCollector): Record<string, string> {
    return { TICKER_COLLECTOR: `tcp://${stage.reachHost}:${collector.port}` };
  }

  async function startShow(jobId: string, env: Record<string, string> = {}): Promise<Show> {
    const collector = await collect();
    const job = worker.register(jobId);
    const active = await stage.start({ ...jobEnv(collector), ...env, ...job.env });
    job.attach(active);
    await untilHeard(collector, active);
    return { jobId, collector, active };
  }

  /** Hands over to a fresh instance; `onEvent` may do harm to either on the way. */
  async function handOver(
    show: Show,
    onEvent: (event: WorkerEvent, instances: { source: Instance; target: Instance | undefined }) => void = () => {},
  ): Promise<{ end: HandoverEnd; silenceMs: number; target: Instance | undefined }> {
    let target: Instance | undefined;
    const startedAt = epochMs();
    const stopListening = worker.subscribe((event) => onEvent(event, { source: show.active, target }));
    const end = await worker.handover(show.jobId, {
      signal,
      placeTarget: async ({ env }) => {
        target = await stage.start({ ...jobEnv(show.collector), ...env });
        return target;
      },
    });
    stopListening();
    signal.throwIfAborted();
    if (end.outcome === "completed" && target) show.active = target;
    await untilHeard(show.collector, show.active);
    return { end, silenceMs: (await show.collector.longestIntervalMs(startedAt)) - cadenceMs, target };
  }

  async function run(): Promise<DemoReport> {
    watcher.begin("starting a worker, a collector and a ticker");
    const show = await startShow("ticker");

    watcher.chapter(`${handoversInARow} handovers in a row, each to a fresh instance`);
    const ends: HandoverEnd[] = [];
    const silences: number[] = [];
    for (let i = 1; i <= handoversInARow; i++) {
      watcher.begin(`handover ${i}`);
      const { end, silenceMs } = await handOver(show);
      expectOutcome(end, end.outcome === "completed", "a completed handover");
      ends.push(end);
      silences.push(silenceMs);
      watcher.done(`${String(i).padStart(2)}  ${phases(end)}   silence ${silenceMs.toFixed(1)} ms`);
    }

    watcher.chapter("When something is wrong");
    watcher.begin("asking a job that refuses");
    const refusing = await startShow("ticker-on-air", { TICKER_REFUSES: "an advert is on air" });
    const refusal = await handOver(refusing);
    expectOutcome(refusal.end, refusal.end.outcome === "refused", "a refusal");
    await worker.unregister(refusing.jobId);
    await refusing.active.remove();
    watcher.done(`a job refuses: "${"reason" in refusal.end ? refusal.end.reason : ""}"; it carries on`);

    watcher.begin("killing a target that takes over");
    const fenced = await killTargetAtCutover(show);
    watcher.done(`a target is killed right after it got cutover-apply: the source resumes, silence ${ms(fenced)}`);

    watcher.begin("killing a source before it stopped");
    const { lost: lostBefore } = await show.collector.tally();
    const promoted = await killSource(show);
    const tally = await show.collector.tally();
    const lostInCrash = tally.lost - lostBefore;
    watcher.done(
      `a source is killed before it stopped: the target takes over, silence ${ms(promoted)}, lost ${lostInCrash}`,
    );

    watcher.chapter("For comparison, the usual way: stop the job, start the next");
    watcher.begin("stopping and starting");
    const restart = await restartTheUsualWay();
    watcher.done(`silence ${ms(restart.silenceMs)}, lost ${restart.lost}`);

    const tallyOfRefusing = await refusing.collector.tally();
    const broken = tally.broken + tallyOfRefusing.broken;
    if (broken > 0) throw new ScenarioError(`${broken} numbers arrived with a hash that does not follow`);
    return {
      runtime: stage.runtime,
      handovers: ends.length,
      refused: 1,
      recovered: 2,
      lost: tally.lost - lostInCrash + tallyOfRefusing.lost,
      doubled: tally.doubled + tallyOfRefusing.doubled,
      lostInCrash,
      silenceMs: { p50: roundMs(median(silences)), max: roundMs(Math.max(...silences)) },
      restart: { silenceMs: roundMs(restart.silenceMs), lost: restart.lost },
      phasesMs: medianPhasesMs(ends),
    };
  }

  async function killTargetAtCutover(show: Show): Promise<number> {
    const { collector } = show;
    // A target connects to the collector when it has got cutover-apply, and reports only when it has been greeted.
    const { end, silenceMs } = await handOver(show, (event, { target }) => {
      if (event.type === "phase" && event.phase === "ready") void killHeld(collector, target);
    });
    expectOutcome(
      end,
      end.outcome === "aborted" && end.phase === "apply" && end.active === "source",
      "an abort in apply that leaves the source active",
    );
    return silenceMs;
  }

  async function killSource(show: Show): Promise<number> {
    const { end, silenceMs } = await handOver(show, (event, { source }) => {
      if (event.type === "phase" && event.phase === "ready") void source.kill();
    });
    expectOutcome(
      end,
      end.outcome === "completed" && end.sourceLost !== undefined,
      "a handover in which the target was promoted",
    );
    return silenceMs;
  }

  async function restartTheUsualWay(): Promise<{ silenceMs: number; lost: number }> {
    const collector = await collect();
    // Not a job of the worker: it knows the time, so that it can join its programme where that is now.
    const env = { ...jobEnv(collector), TICKER_T0: String(Date.now()) };
    const first = await stage.start(env);
    await untilHeard(collector, first);
    const { lost: lostBefore } = await collector.tally();
    const startedAt = epochMs();
    await first.remove();
    const next = await stage.start(env);
    await untilHeard(collector, next);
    return {
      silenceMs: (await collector.longestIntervalMs(startedAt)) - cadenceMs,
      lost: (await collector.tally()).lost - lostBefore,
    };
  }
}

/** Waits for a while of ticks, but no longer than the job that sends them lives. */
async function untilHeard(collector: RemoteCollector, job: Instance): Promise<void> {
  const death = job.gone.then(({ reason }): never => {
    throw new ScenarioError(`a ticker ended that should run: it ${reason}`);
  });
  await Promise.race([collector.arrivals(quietTicks, startTimeoutMs), death]);
}

async function killHeld(collector: RemoteCollector, target: Instance | undefined): Promise<void> {
  await collector.holdNextConnection();
  await target?.kill();
  await collector.release();
}

function expectOutcome(end: HandoverEnd, isExpected: boolean, expected: string): void {
  if (isExpected) return;
  const { jobId, migrationId: _, phasesMs: __, ...how } = end;
  throw new ScenarioError(`the demo expected ${expected} of ${jobId}, but it ended as ${JSON.stringify(how)}`);
}

function phases({ phasesMs }: HandoverEnd): string {
  return Object.entries(phasesMs)
    .map(([phase, duration]) => `${phase} ${duration.toFixed(1).padStart(5)}`)
    .join("  ");
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}
