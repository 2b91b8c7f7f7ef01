import { startMigrationWorker } from "@changeover/migration-worker";
import pc from "picocolors";
import { createProcessStage } from "./process-stage.js";
import { runScenario, type Watcher } from "./scenario.js";
import type { Stage } from "./stage.js";
import { createView, formatReport } from "./view.js";

export interface DemoOptions {
  /** Print one JSON object on stdout; progress goes to stderr. */
  json: boolean;
  /** Run the jobs in containers. */
  docker: boolean;
  signal: AbortSignal;
}

const job = new URL("./ticker.mjs", import.meta.url);
const manifest = new URL("./ticker-manifest.json", import.meta.url);

/** Runs the demo and returns the exit code: 1 if anything was lost or doubled. */
export async function runDemo({ json, docker, signal }: DemoOptions): Promise<number> {
  const view = createView(json ? process.stderr : process.stdout);
  view.title(`${pc.bold("changeover demo")}: a ticker sends a number every 10 ms, a collector checks each one`);
  const stage = docker ? await dockerStage(view, signal) : createProcessStage(job);
  view.title(pc.dim(`Jobs run as ${stage.description}`));
  const worker = await startMigrationWorker({ host: stage.listenHost, advertisedHost: stage.reachHost });
  try {
    const report = await runScenario(stage, worker, view, signal);
    console.log(json ? JSON.stringify(report) : `\n${formatReport(report)}`);
    return report.lost === 0 && report.doubled === 0 ? 0 : 1;
  } finally {
    view.stop();
    await stage.close();
    await worker.close();
  }
}

async function dockerStage(view: Watcher, signal: AbortSignal): Promise<Stage> {
  // The engine's client takes longer to load than all the rest.
  const { createDockerStage } = await import("./docker-stage.js");
  return createDockerStage(job, manifest, view, signal);
}
