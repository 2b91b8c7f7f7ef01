import { CLOSE_CODE } from "@changeover/migration-protocol";
import type { HandoverEnd, WorkerEvent } from "@changeover/migration-worker";
import pc from "picocolors";
import type { DevWatcher, Instances } from "./dev-job.js";
import { adviseOn, CONNECT_ADVICE, describeConduct } from "./explain-end.js";
import { formatMs } from "./format-ms.js";
import { formatBytes, formatFrame, shorten, type Frame } from "./frame.js";
import type { Instance } from "./instance.js";
import type { Screen } from "./screen.js";
import { formatBar, formatRow, Timeline } from "./timeline.js";

/** Draws what happens to the job. */
export class DevView implements DevWatcher {
  readonly screen: Screen;
  /** Why the worker did not take a cancellation of the last handover. */
  lateAbort: string | undefined;
  #timeline: Timeline | undefined;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** The phase of the moment: how long it has lasted, and how long it may. */
  get current(): Timeline["current"] {
    return this.#timeline?.current;
  }

  begin(title: string): void {
    this.lateAbort = undefined;
    this.#timeline = new Timeline(() => performance.now());
    this.screen.print(`\n${pc.bold(title)}`);
  }

  /** Ends what `begin` began. */
  end(what: string, end: HandoverEnd, { source, target }: Instances): void {
    const { screen } = this;
    this.#printRow(this.#timeline?.end());
    const rows = this.#timeline?.rows ?? [];
    this.#timeline = undefined;
    if (rows.length > 1) screen.print(formatBar(rows));
    if (end.outcome === "completed") {
      const gap = end.outputGapMs === undefined ? "" : `, ${pc.bold(formatMs(end.outputGapMs))} without output`;
      const lost = end.sourceLost === undefined ? "" : `; the source was lost on the way: ${end.sourceLost}`;
      return screen.good(`${what} completed${gap}: ${target?.name} is active${lost}`);
    }
    if (end.outcome === "willing") {
      return screen.good(`${what}: it would hand over, with a state of ${formatBytes(end.stateBytes)}`);
    }
    const where = "phase" in end ? ` in ${pc.bold(end.phase)}` : "";
    const reason = shorten(end.reason, 500);
    if (end.reason.startsWith("cancelled: you asked")) {
      return screen.good(`${what} ${end.outcome}${where}, as you asked: ${whoIsActive(end, source)}`);
    }
    screen.bad(`${what} ${end.outcome}${where}: ${reason}`);
    for (const instance of [source, target]) if (instance) screen.note(describeConduct(instance, performance.now()));
    screen.note(whoIsActive(end, source));
    const advice = adviseOn(end, target);
    if (advice !== undefined) screen.hint(advice);
  }

  secret(token: string): void {
    this.screen.hide(token);
  }

  started({ name, pid }: Instance): void {
    if (this.#timeline) this.#timeline.hear(`${name} started, pid ${pid}`);
    else this.screen.print(pc.dim(`${name} started, pid ${pid}`));
  }

  line({ name }: Instance, line: string): void {
    this.screen.jobLine(pc.dim(`${name} │`), line);
  }

  report({ name }: Instance, report: Frame): void {
    if (this.#timeline) this.#timeline.hear(`${name} ${formatFrame(report)}`);
    else this.screen.note(`${name} ${formatFrame(report)}`);
  }

  event(event: WorkerEvent, instances: Instances): void {
    const { screen } = this;
    const of = "side" in event ? (instances[event.side]?.name ?? event.side) : "";
    switch (event.type) {
      case "connected":
        return this.#connected(`${of} connected, version ${event.version}`, event.side);
      case "disconnected":
        // The worker dismisses whom a handover leaves over.
        if (event.code === CLOSE_CODE.unknownToken) return undefined;
        return screen.note(`${of} disconnected: ${shorten(`${event.code} ${event.reason}`.trim(), 200)}`);
      case "gone":
        return screen.bad(`${of} is gone: ${event.reason}`);
      case "phase":
        return this.#printRow(this.#timeline?.enter(event.phase, event.deadlineMs));
      case "fencing":
        return this.#hear(`the target may have taken over: it is removed before the source may resume`);
      case "resuming":
        return this.#hear(`${instances.source?.name} is told to resume`);
      case "ignored":
        if (event.what === "cancel") this.lateAbort = event.reason;
        return this.#hear(`${event.what === "cancel" ? "your abort" : event.what} came too late: ${event.reason}`);
      case "violation":
        return screen.bad(`${of} broke the protocol: ${shorten(event.reason, 200)}`);
      case "rejected":
        return screen.bad(`a connection was refused: ${event.code} ${shorten(event.reason, 200)}`);
      case "remove-failed":
        return screen.bad(`${of} could not be removed: ${event.reason}`);
      default:
        return undefined;
    }
  }

  /** It has not been connected for a while. */
  missing({ name, pid }: Instance, afterMs: number): void {
    this.screen.bad(`${name} (pid ${pid}) is not connected after ${formatMs(afterMs)}`);
    for (const advice of CONNECT_ADVICE) this.screen.hint(advice);
  }

  #connected(what: string, side: "source" | "target"): void {
    if (this.#timeline && side === "target") this.#timeline.hear(what);
    else this.screen.good(what);
  }

  #hear(what: string): void {
    if (this.#timeline) this.#timeline.hear(pc.yellow(what));
    else this.screen.note(what);
  }

  #printRow(row: Parameters<typeof formatRow>[0] | undefined): void {
    if (row) this.screen.print(formatRow(row));
  }
}

function whoIsActive(end: HandoverEnd, source: Instance | undefined): string {
  if (end.outcome === "indeterminate") return "nobody knows which of the two is active";
  if (end.outcome === "aborted" && end.active === "none") return "the job is dead";
  if (end.outcome === "aborted" && end.active === "target") return "the target is active";
  return `${source?.name} is still active`;
}
