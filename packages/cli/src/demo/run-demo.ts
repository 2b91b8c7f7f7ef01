import { startMigrationWorker } from "@changeover/migration-worker";
import pc from "picocolors";
import { createProcessStage } from "./process-stage.js";
import { runScenario } from "./scenario.js";
import type { Stage } from "./stage.js";
import { createView, formatReport, type View } from "./view.js";

export interface DemoOptions {
  /** Print one JSON object on stdout; progress goes to stderr. */
  json: boolean;
  /** Run the jobs in containers. */
  docker: boolean;
  signal: AbortSignal;
}

const job = new URL("./ticker.mjs", import.meta.url);
const manifest = new URL("./ticker-manifest.json", import.meta.url);

/** Runs the demo and returns the exit code: 0 only if everything ended as it should, with nothing lost or doubled. */
export async function runDemo({ json, docker, signal }: DemoOptions): Promise<number> {
  const view = createView(json ? process.stderr : process.stdout);
  view.print(`${pc.bold("changeover demo")}: a ticker sends a number every 10 ms, a collector checks each one`);
  const stage = docker ? await dockerStage(view, signal) : createProcessStage(job);
  try {
    return await runOn(stage, view, json, signal);
  } finally {
    view.stop();
    // What went wrong first is what matters: a failing clean-up must not take its place.
    await stage.close().catch((error: unknown) => view.failed(error instanceof Error ? error.message : String(error)));
  }
}

async function runOn(stage: Stage, view: View, json: boolean, signal: AbortSignal): Promise<number> {
  view.print(pc.dim(`Jobs run as ${stage.description}`));
  const worker = await startMigrationWorker({ host: stage.listenHost, advertisedHost: stage.reachHost });
  try {
    const report = await runScenario({ stage, worker, signal }, view);
    console.log(json ? JSON.stringify(report) : `\n${formatReport(report)}`);
    return view.failures === 0 && report.lost === 0 && report.doubled === 0 ? 0 : 1;
  } finally {
    view.stop();
    await worker.close();
  }
}

async function dockerStage(view: View, signal: AbortSignal): Promise<Stage> {
  // The engine's client takes longer to load than all the rest.
  const { createDockerStage } = await import("./docker-stage.js");
  try {
    return await createDockerStage(job, manifest, view, signal);
  } finally {
    view.stop();
  }
}
