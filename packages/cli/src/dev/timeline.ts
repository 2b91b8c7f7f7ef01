import type { Phase } from "@changeover/migration-worker";
import pc from "picocolors";
import { formatMs } from "./format-ms.js";

export interface Row {
  readonly phase: Phase;
  readonly ms: number;
  /** What was heard in it. */
  readonly heard: readonly string[];
}

/** The phases of one handover with what was heard in each. */
export class Timeline {
  readonly rows: Row[] = [];
  readonly #now: () => number;
  #open: { phase: Phase; deadlineMs: number; sinceMs: number; heard: string[] } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The phase of the moment: how long it has lasted, and how long it may. */
  get current(): { phase: Phase; ms: number; deadlineMs: number } | undefined {
    const { phase, deadlineMs, sinceMs } = this.#open ?? {};
    if (phase === undefined || deadlineMs === undefined || sinceMs === undefined) return undefined;
    return { phase, deadlineMs, ms: this.#now() - sinceMs };
  }

  /** Begins a phase and returns the one that this ends. */
  enter(phase: Phase, deadlineMs: number): Row | undefined {
    const row = this.end();
    this.#open = { phase, deadlineMs, sinceMs: this.#now(), heard: [] };
    return row;
  }

  hear(what: string): void {
    this.#open?.heard.push(what);
  }

  end(): Row | undefined {
    if (!this.#open) return undefined;
    const { phase, sinceMs, heard } = this.#open;
    this.#open = undefined;
    const row = { phase, ms: this.#now() - sinceMs, heard };
    this.rows.push(row);
    return row;
  }
}

const colours = {
  propose: pc.cyan,
  place: pc.blue,
  ready: pc.magenta,
  stop: pc.yellow,
  apply: pc.green,
  commit: pc.gray,
} satisfies Record<Phase, (text: string) => string>;

export function formatRow({ phase, ms, heard }: Row): string {
  return `  ${colours[phase](phase.padEnd(8))}${formatMs(ms).padStart(9)}  ${heard.join(pc.dim(" · "))}`.trimEnd();
}

const barColumns = 64;

/** The phases as one line, each as long as its time, with its name where there is room. */
export function formatBar(rows: readonly Row[]): string {
  const totalMs = rows.reduce((sum, { ms }) => sum + ms, 0);
  const segments = rows.map(({ phase, ms }) => {
    const columns = Math.max(1, Math.round((ms / totalMs) * barColumns));
    return colours[phase](columns < phase.length + 2 ? "─".repeat(columns) : centred(` ${phase} `, columns));
  });
  return `  ${pc.dim("├")}${segments.join(pc.dim("┼"))}${pc.dim("┤")} ${formatMs(totalMs)}`;
}

function centred(text: string, columns: number): string {
  const before = Math.floor((columns - text.length) / 2);
  return text.padStart(text.length + before, "─").padEnd(columns, "─");
}
