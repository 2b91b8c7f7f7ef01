import type { Phase } from "@changeover/migration-worker";
import { formatMs } from "./format-ms.js";
import { listenToKeys } from "./keys.js";
import { phaseAfter } from "./phases.js";
import type { Session } from "./session.js";

const interruptedCode = 130;
const redrawMs = 100;
const ctrlC = "\u0003";

/** Does what the keys say until one of them ends it; resolves with the exit code. */
export function runKeys(session: Session, input: NodeJS.ReadStream, signal: AbortSignal): Promise<number> {
  const { job, view } = session;
  const { screen } = view;
  /** Where the next handover is to be aborted. */
  let abortAt: Phase | undefined;
  let isBusy = false;

  return new Promise((resolve, reject) => {
    const drawing = setInterval(() => screen.status(statusOf()), redrawMs);
    const stopListening = listenToKeys(input, press);
    const stop = (): void => {
      clearInterval(drawing);
      stopListening();
    };
    signal.addEventListener("abort", () => {
      stop();
      reject(signal.reason);
    });

    function quit(code: number): void {
      stop();
      resolve(code);
    }

    function press(key: string): void {
      switch (key) {
        case "h":
          return begin(job.active ? handOver : () => session.start());
        case "d":
          return begin(() => session.dryRun());
        case "a":
          return abort();
        case "k":
          return cut();
        case "q":
          return quit(0);
        case ctrlC:
          return quit(interruptedCode);
        default:
      }
    }

    function begin(what: () => Promise<unknown>): void {
      if (isBusy) return screen.note("one thing at a time: something is in flight");
      isBusy = true;
      what()
        .catch((error: unknown) => screen.bad(error instanceof Error ? error.message : String(error)))
        .finally(() => (isBusy = false));
    }
  });

  function handOver(): Promise<unknown> {
    const phase = abortAt;
    abortAt = undefined;
    return session.handOver(phase);
  }

  function abort(): void {
    const { phase } = job;
    if (!job.isHandingOver) {
      abortAt = phaseAfter(abortAt);
      screen.note(
        abortAt ? `the next handover will be aborted in ${abortAt}` : "the next handover will not be aborted",
      );
      return;
    }
    const next = phaseAfter(phase);
    if (next === undefined) return screen.note(`nothing comes after ${phase}`);
    job.abortIn(next);
    screen.note(`to be aborted in ${next}`);
  }

  function cut(): void {
    const names = session.cut().map(({ name }) => name);
    screen.note(names.length > 0 ? `cut the connection of ${names.join(" and ")}` : "nothing is connected");
  }

  function statusOf(): string {
    const { current } = view;
    if (current) {
      const { phase, ms, deadlineMs } = current;
      return `${phase} ${formatMs(ms)} of ${formatMs(deadlineMs)} │ a abort in the next phase  k cut  q quit`;
    }
    if (!job.active) return "the job is dead │ h start it again  q quit";
    const armed = abortAt ? ` (abort in ${abortAt})` : "";
    return `${job.active.name} is active │ h hand over${armed}  d dry run  a abort next in …  k cut  q quit`;
  }
}
