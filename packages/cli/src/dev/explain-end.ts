import type { HandoverEnd, Phase } from "@changeover/migration-worker";
import { formatMs } from "./format-ms.js";

/** What is known of an instance of a handover. */
export interface Known {
  readonly name: string;
  readonly isConnected: boolean;
  readonly hasConnected: boolean;
  readonly told: { readonly type: string; readonly atMs: number } | undefined;
  readonly reported: { readonly type: string; readonly atMs: number } | undefined;
  readonly end: string | undefined;
  readonly lastWords: string;
}

/** What an instance did last, as far as a handover can tell. */
export function describeConduct(
  { name, isConnected, hasConnected, told, reported, end }: Known,
  nowMs: number,
): string {
  if (end !== undefined) return `${name} ${end}`;
  if (!hasConnected) return `${name} runs and has never connected`;
  if (!isConnected) return `${name} runs and has lost its connection`;
  if (told && told.atMs > (reported?.atMs ?? 0) && told.type !== "abort" && told.type !== "committed") {
    return `${name} was told ${told.type} ${formatMs(nowMs - told.atMs)} ago and has reported nothing since`;
  }
  return reported ? `${name} reported ${reported.type} last` : `${name} is connected and has reported nothing`;
}

const duties: Partial<Record<Phase, string>> = {
  propose: "getState (onGetState) has to return the state, or a refusal, in time",
  ready: "adopt has to return the position (a target of connectMigration calls reportReady), in time",
  stop: "stopAt has to end the output and return the position (onCutoverReady: reportStoppedOutput), in time",
  apply: "takeOver has to start the output (onCutoverApply: and call reportApplied), in time",
};

/** What to do about a handover that failed. */
export function adviseOn(end: HandoverEnd, target: Known | undefined): string | undefined {
  if (end.outcome === "refused")
    return "Nothing has changed. The answer is what getState (onGetState) returned, or threw.";
  if (end.outcome === "indeterminate")
    return "The source stays silent until the target is gone: look for it and end it.";
  if (end.outcome !== "aborted") return undefined;
  if (target && /EADDRINUSE|address already in use/i.test(target.lastWords)) {
    return "Source and target run side by side: let the system pick the port, or listen only when it takes over.";
  }
  if (/ aborted: /.test(end.reason))
    return "A method or handler threw, or the job called abort(reason): its output is above.";
  if (/ is gone: /.test(end.reason)) return "It ended before it had done its part: its output is above.";
  const duty = /within \d+ ms/.test(end.reason) ? duties[end.phase] : undefined;
  return duty && `In this phase ${duty}.`;
}

/** What to check where a job does not connect. */
export const CONNECT_ADVICE = [
  "Does it call connectHandover() or connectMigration(), and is that line reached?",
  "In other languages: does it connect to NORSK_WORKER_WS_URL and send hello with NORSK_WORKER_TOKEN?",
  "Does what starts it (a script, a container, sudo) pass the environment on?",
  "Is it only slow? Give it longer with --connect-within <seconds>.",
];
