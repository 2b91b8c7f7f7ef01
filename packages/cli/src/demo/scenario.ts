import type { HandoverEnd, WorkerEvent } from "@changeover/migration-worker";
import type { Tally } from "./collector.js";
import { median, medianPhasesMs, roundMs, type DemoReport } from "./report.js";
import { Show, type Measured, type Theatre } from "./show.js";
import type { Instance } from "./stage.js";
import type { RemoteCollector } from "./remote-collector.js";
import { RemoteWorker } from "./remote-worker.js";

const handoversInARow = 10;

/** What the scenario tells whoever watches. */
export interface Watcher {
  chapter(title: string): void;
  begin(what: string): void;
  progress(event: WorkerEvent): void;
  done(what: string): void;
  failed(what: string): void;
}

/** Runs the whole demo and measures it. */
export async function runScenario(theatre: Theatre, watcher: Watcher): Promise<DemoReport> {
  const unsubscribe = theatre.worker.subscribe((event) => watcher.progress(event));
  try {
    watcher.begin("starting a worker, a collector and a ticker");
    const show = await Show.start("ticker", theatre);
    const row = await handOverInARow(show, watcher);

    watcher.chapter("When something is wrong");
    const refusal = await askOneThatRefuses(theatre, watcher);
    const isTargetSurvived = await killTargetAtCutover(show, watcher);
    const crash = await killSource(show, watcher);
    const tally = await show.end();
    const restarted = await killWorker(theatre, watcher);

    watcher.chapter("For comparison, the usual way: stop the job, start the next");
    const restart = await restartTheUsualWay(theatre, watcher);

    const tallies = [tally, refusal.tally, restarted.tally];
    const broken = sum(tallies, "broken");
    if (broken > 0) throw new Error(`${broken} numbers arrived with a hash that does not follow from those before`);
    return {
      runtime: theatre.stage.runtime,
      handovers: row.ends.length,
      refused: refusal.isRefused ? 1 : 0,
      recovered: [isTargetSurvived, crash.isSurvived, restarted.isSurvived].filter(Boolean).length,
      lost: sum(tallies, "lost") - crash.lost,
      doubled: sum(tallies, "doubled"),
      lostInCrash: crash.lost,
      silenceMs: { p50: roundMs(median(row.silencesMs)), max: roundMs(Math.max(0, ...row.silencesMs)) },
      restart: { silenceMs: roundMs(restart.silenceMs), lost: restart.lost },
      phasesMs: medianPhasesMs(row.ends),
    };
  } finally {
    unsubscribe();
  }
}

async function handOverInARow(show: Show, watcher: Watcher): Promise<{ ends: HandoverEnd[]; silencesMs: number[] }> {
  watcher.chapter(`${handoversInARow} handovers in a row, each to a fresh instance (times in ms)`);
  const ends: HandoverEnd[] = [];
  const silencesMs: number[] = [];
  for (let i = 1; i <= handoversInARow; i++) {
    watcher.begin(`handover ${i}`);
    const { end, silenceMs } = await show.handOver();
    const isCompleted = end.outcome === "completed";
    tell(
      watcher,
      isCompleted,
      `${String(i).padStart(2)}  ${phases(end)}   silence ${silenceMs.toFixed(1).padStart(5)}`,
      end,
    );
    if (!isCompleted) continue;
    ends.push(end);
    silencesMs.push(silenceMs);
  }
  return { ends, silencesMs };
}

async function askOneThatRefuses(theatre: Theatre, watcher: Watcher) {
  watcher.begin("asking a job that refuses");
  const show = await Show.start("ticker-on-air", theatre, { env: { TICKER_REFUSES: "an advert is on air" } });
  const { end } = await show.handOver();
  const isRefused = end.outcome === "refused";
  tell(watcher, isRefused, `a job refuses, "${isRefused ? end.reason : ""}", and carries on`, end);
  return { isRefused, tally: await show.end() };
}

async function killTargetAtCutover(show: Show, watcher: Watcher): Promise<boolean> {
  watcher.begin("killing a target that takes over");
  const { end, silenceMs } = await show.handOver((event, { target }) =>
    event.type === "phase" && event.phase === "ready" ? killHeld(show.collector, target) : undefined,
  );
  const isSurvived = end.outcome === "aborted" && end.phase === "apply" && end.active === "source";
  tell(watcher, isSurvived, `a target is killed as it takes over: the source resumes, silence ${ms(silenceMs)}`, end);
  return isSurvived;
}

/** A target connects to the collector when it has got cutover-apply, and reports only when it has been greeted. */
async function killHeld(collector: RemoteCollector, target: Instance | undefined): Promise<void> {
  await collector.holdNextConnection();
  await target?.kill();
  await collector.release();
}

async function killSource(show: Show, watcher: Watcher): Promise<{ isSurvived: boolean; lost: number }> {
  watcher.begin("killing a source before it stopped");
  const { lost: lostBefore } = await show.collector.tally();
  const { end, silenceMs }: Measured = await show.handOver((event, { source }) =>
    event.type === "phase" && event.phase === "ready" ? source.kill() : undefined,
  );
  const lost = (await show.collector.tally()).lost - lostBefore;
  const isSurvived = end.outcome === "completed" && end.sourceLost !== undefined;
  const what = `a source is killed before it stopped: the target takes over, silence ${ms(silenceMs)}, lost ${lost}`;
  tell(watcher, isSurvived, what, end);
  return { isSurvived, lost };
}

/** Kills the worker when the source has stopped and the target may have taken over, and starts it again. */
async function killWorker(theatre: Theatre, watcher: Watcher): Promise<{ isSurvived: boolean; tally: Tally }> {
  watcher.begin("killing a worker in the middle of a handover");
  const { stage, signal } = theatre;
  const worker = await RemoteWorker.start({
    program: new URL("./worker-program.js", import.meta.url),
    host: stage.listenHost,
    advertisedHost: stage.reachHost,
    signal,
  });
  try {
    worker.subscribe((event) => watcher.progress(event));
    const show = await Show.start("ticker-of-another-worker", { ...theatre, worker });
    const { end, silenceMs } = await show.handOver((event) =>
      event.type === "phase" && event.phase === "ready" ? restartHeld(show.collector, worker) : undefined,
    );
    const isEndedByRules = end.outcome === "aborted" && end.phase === "apply" && end.active === "source";
    const { end: next } = isEndedByRules ? await show.handOver() : { end };
    const isSurvived = isEndedByRules && next.outcome === "completed";
    const what = `a worker is killed as its target takes over: restarted, it lets the source resume, silence ${ms(silenceMs)}`;
    tell(watcher, isSurvived, `${what}, then hands over`, next);
    return { isSurvived, tally: await show.end() };
  } finally {
    await worker.close();
  }
}

/** As with a target that is killed, but its worker is. */
async function restartHeld(collector: RemoteCollector, worker: RemoteWorker): Promise<void> {
  await collector.holdNextConnection();
  await worker.kill();
  await worker.restart();
}

async function restartTheUsualWay(theatre: Theatre, watcher: Watcher): Promise<{ silenceMs: number; lost: number }> {
  watcher.begin("stopping and starting");
  // It knows the time, so that it can join its programme where that is now.
  const env = { TICKER_T0: String(Date.now()) };
  const show = await Show.start("ticker-restarted", theatre, { env, isManaged: false });
  const restart = await show.restart();
  await show.end();
  watcher.done(`silence ${ms(restart.silenceMs)}, lost ${restart.lost}`);
  return restart;
}

function sum(tallies: readonly Tally[], count: "lost" | "doubled" | "broken"): number {
  return tallies.reduce((total, tally) => total + tally[count], 0);
}

/** Shows what was to happen, or how it ended instead. */
function tell(watcher: Watcher, isAsExpected: boolean, what: string, end: HandoverEnd): void {
  if (isAsExpected) {
    watcher.done(what);
    return;
  }
  const { jobId: _, migrationId: __, phasesMs: ___, ...how } = end;
  watcher.failed(`expected: ${what}\n  but it ended as ${JSON.stringify(how)}`);
}

function phases({ phasesMs }: HandoverEnd): string {
  return Object.entries(phasesMs)
    .map(([phase, duration]) => `${phase} ${duration.toFixed(1).padStart(5)}`)
    .join("  ");
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}
