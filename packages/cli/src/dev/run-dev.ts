import type { Phase } from "@changeover/migration-worker";
import pc from "picocolors";
import type { Command } from "./job-process.js";
import { runKeys } from "./run-keys.js";
import { runRow } from "./run-row.js";
import { Screen } from "./screen.js";
import { Session } from "./session.js";

export interface DevOptions {
  command: Command;
  /** How many handovers to run without a terminal; keys decide where it is absent. */
  handovers: number | undefined;
  /** Phase in which each of them is aborted. */
  abortAt: Phase | undefined;
  /** Print one JSON object on stdout; all else goes to stderr. */
  json: boolean;
  /** How long the job may take to connect before something must be wrong. */
  connectWithinMs: number;
  signal: AbortSignal;
}

/** Runs a job under a worker and returns the exit code: 0 if every handover ended as asked, or the keys ended it. */
export async function runDev(options: DevOptions): Promise<number> {
  const { command, handovers, abortAt, json, signal } = options;
  if (handovers === undefined && !process.stdin.isTTY) {
    throw new Error("there is no terminal to take keys from: add --handovers <n> to hand over n times and end");
  }
  const screen = new Screen(json ? process.stderr : process.stdout, process.stderr);
  screen.print(`${pc.bold("changeover dev")} ${command.join(" ")}`);
  const session = await Session.open(screen, options);
  try {
    const hasConnected = await session.start();
    if (handovers === undefined) return await runKeys(session, process.stdin, signal);
    if (!hasConnected) return 1;
    const { reports, isAsAsked } = await runRow(session, { handovers, abortAt, signal });
    if (json) console.log(screen.hidden(JSON.stringify({ handovers: reports })));
    return isAsAsked ? 0 : 1;
  } finally {
    await session.close();
  }
}
