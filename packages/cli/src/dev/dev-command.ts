import { InvalidArgumentError, Option, type Command } from "commander";
import type { Phase } from "@changeover/migration-worker";
import { phases } from "./phases.js";

interface Options {
  handovers?: number;
  abortAt?: Phase;
  json: boolean;
  connectWithin: number;
}

const help = `
Keys: h hands over, d does a dry run, a aborts in the phase that comes next, k cuts the connection to the worker, q ends.

  $ changeover dev -- node job.js
  $ changeover dev --handovers 3 --abort-at stop --json -- python job.py`;

export function addDevCommand(program: Command, signal: AbortSignal, setExitCode: (code: number) => void): void {
  program
    .command("dev")
    .description("run a job under a worker on this machine, and hand it over when you press a key")
    .usage("[options] -- <command> [arguments...]")
    .argument("[command...]", "what starts the job")
    .option("--handovers <n>", "hand over n times and end, without keys", positive)
    .addOption(new Option("--abort-at <phase>", "abort each of them as this phase begins").choices(phases))
    .option("--json", "print one JSON object on stdout; everything else goes to stderr", false)
    .option("--connect-within <seconds>", "how long the job may take to connect", seconds, 5)
    .addHelpText("after", help)
    .action(async ([name, ...args]: string[], { handovers, abortAt, json, connectWithin }: Options) => {
      if (name === undefined || name === "") {
        throw new Error("there is no command: say after -- what starts the job, as in `changeover dev -- node job.js`");
      }
      if (handovers === undefined && (json || abortAt !== undefined)) {
        throw new Error(`${json ? "--json" : "--abort-at"} goes with --handovers <n>: add how many`);
      }
      // Loaded when it is wanted: help and mistakes are answered without it.
      const { runDev } = await import("./run-dev.js");
      const connectWithinMs = connectWithin * 1_000;
      setExitCode(await runDev({ command: [name, ...args], handovers, abortAt, json, connectWithinMs, signal }));
    });
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3_600)) throw new InvalidArgumentError("It must be seconds between 0 and 3600.");
  return value;
}
