import { encodeReport } from "./encode-report.js";
import type { Migration, ReportFrame, Session } from "./session.js";

interface WaitingReport {
  readonly migration: Migration;
  readonly method: string;
  readonly text: string;
}

export interface ReportsDeps {
  readonly session: Session;
  /** Writes a frame to the acknowledged connection; false if there is none. */
  readonly send: (text: string) => boolean;
  readonly log: (line: string) => void;
}

/**
 * Sends reports, or keeps them in order while there is no connection. Version 1 has no acknowledgements: what was
 * written to a socket counts as sent.
 */
export class Reports {
  readonly #deps: ReportsDeps;
  #waiting: WaitingReport[] = [];

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** @throws MigrationClientError if the frame cannot be sent at all. */
  report(method: string, frame: ReportFrame): void {
    const verdict = this.#deps.session.report(frame.type);
    if (!verdict.ok) {
      this.#deps.log(`${method} dropped: ${verdict.why}`);
      return;
    }
    const text = encodeReport(method, frame);
    if (!this.#deps.send(text)) this.#waiting.push({ migration: verdict.migration, method, text });
  }

  /** Sends what waited, in order, as far as its migration is still in progress. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const report of waiting) {
      if (!this.#deps.session.mayStillSend(report.migration)) {
        this.#deps.log(`${report.method} dropped: its migration is not in progress any more`);
      } else if (!this.#deps.send(report.text)) {
        this.#waiting.push(report);
      }
    }
  }
}
