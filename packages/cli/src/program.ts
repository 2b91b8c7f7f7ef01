import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addConformanceCommand } from "./conformance/add-conformance-command.js";
import { addDevCommand } from "./dev/dev-command.js";

/** The command line; each command's action returns the exit code through `setExitCode`. */
export function createProgram(signal: AbortSignal, setExitCode: (code: number) => void): Command {
  const program = new Command("changeover")
    .description("Hand a running job over to a fresh instance: nothing lost, nothing doubled.")
    .version(version())
    .showHelpAfterError("(run `changeover --help` for what there is)");
  program
    .command("demo")
    .description("hand a live ticker over ten times, break things on purpose, and compare with a restart")
    .option("--json", "print one JSON object on stdout; progress goes to stderr", false)
    .option("--docker", "run the jobs in containers on a Docker engine", false)
    .action(async ({ json, docker }: { json: boolean; docker: boolean }) => {
      // Loaded when it is wanted: help and mistakes are answered without it.
      const { runDemo } = await import("./demo/run-demo.js");
      setExitCode(await runDemo({ json, docker, signal }));
    });
  addConformanceCommand(program, signal, setExitCode);
  addDevCommand(program, signal, setExitCode);
  return program;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "";
}
