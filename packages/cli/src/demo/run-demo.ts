import { startMigrationWorker } from "@changeover/migration-worker";
import pc from "picocolors";
import { createDockerStage } from "./docker-stage.js";
import { createProcessStage } from "./process-stage.js";
import { runScenario } from "./scenario.js";
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
  const stage = docker ? await createDockerStage(job, manifest, view, signal) : createProcessStage(job);
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
