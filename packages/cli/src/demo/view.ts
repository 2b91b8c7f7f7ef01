import Table from "cli-table3";
import pc from "picocolors";
import spinner, { type Spinner } from "yocto-spinner";
import type { DemoReport } from "./report.js";
import type { Watcher } from "./scenario.js";

export interface View extends Watcher {
  /** How much did not end as it should. */
  readonly failures: number;
  print(text: string): void;
  /** Ends the spinner, without which the terminal would keep it. */
  stop(): void;
}

/** Shows the demo as it runs: a spinner with the phase of the moment, a line for each thing that is done. */
export function createView(stream: NodeJS.WriteStream): View {
  let spinning: Spinner | undefined;
  let doing = "";
  let failures = 0;
  const print = (text: string): void => void stream.write(`${text}\n`);
  const stop = (): void => {
    spinning?.stop();
    spinning = undefined;
  };
  return {
    get failures() {
      return failures;
    },
    print,
    chapter: (title) => {
      stop();
      print(`\n${pc.bold(title)}`);
    },
    begin: (what) => {
      stop();
      doing = what;
      // Without a terminal a spinner is noise: the lines of what is done tell it all.
      if (stream.isTTY) spinning = spinner({ text: what, stream }).start();
    },
    progress: (event) => {
      if (!spinning) return;
      if (event.type === "phase") spinning.text = `${doing}  ${pc.cyan(event.phase)}`;
      if (event.type === "fencing") spinning.text = `${doing}  ${pc.yellow("fencing the target")}`;
    },
    done: (what) => {
      stop();
      print(`${pc.green("✔")} ${what}`);
    },
    failed: (what) => {
      stop();
      failures++;
      print(`${pc.red("✖")} ${what}`);
    },
    stop,
  };
}

/** The result as a table for a person. */
export function formatReport(report: DemoReport): string {
  const table = new Table({
    head: ["", "handovers", "lost", "doubled", "silence p50", "silence max"].map(pc.bold),
    colAligns: ["left", "right", "right", "right", "right", "right"],
    // The table's own colours would be written to files too.
    style: { head: [], border: [], compact: true },
  });
  const { silenceMs, restart } = report;
  const times = restart.silenceMs / silenceMs.p50;
  table.push(
    ["changeover", report.handovers, report.lost, report.doubled, ms(silenceMs.p50), ms(silenceMs.max)],
    ["stop, then start", "", restart.lost, "", ms(restart.silenceMs), ""],
  );
  return `${table.toString()}\nA handover was silent for ${pc.bold(`1/${Math.round(times)}`)} of the usual way's time.`;
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}
