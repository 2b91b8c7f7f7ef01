import type { Command } from "commander";

interface Flags {
  json: boolean;
  expectedFailures?: string;
  only?: string;
  startTimeout: string;
}

/** Adds `changeover conformance` to the command line. */
export function addConformanceCommand(
  program: Command,
  signal: AbortSignal,
  setExitCode: (code: number) => void,
): void {
  program
    .command("conformance")
    .description("check a client of the job socket, in whatever language, against the numbered rules of the protocol")
    .argument("[command...]", "what starts the client, after `--`; it is started once for each rule")
    .option("--json", "print one JSON object on stdout", false)
    .option("--expected-failures <file>", 'a JSON list of rules that may fail: [{"rule": 7, "reason": "…"}]')
    .option("--only <numbers>", "check these rules only, as in 7,9")
    .option("--start-timeout <ms>", "how long the client may take from its start to its connection", "20000")
    .action(async (command: string[], { startTimeout, ...flags }: Flags) => {
      const { runConformance } = await import("./run-conformance.js");
      setExitCode(await runConformance(command, { ...flags, startTimeoutMs: Number(startTimeout), signal }));
    });
}
