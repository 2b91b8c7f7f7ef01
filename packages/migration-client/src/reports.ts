import type { ReportAckFrame, ReportFrame } from "@changeover/migration-protocol";
import { encodeReport, numberReport, whyOversized } from "./encode-report.js";
import { MigrationClientError } from "./migration-client-error.js";
import { Outbox, type OutboxReport } from "./outbox.js";
import type { AnswerFrame, JobReportFrame, Migration, Session } from "./session.js";

/** What reports need to know of the connection. */
export interface Link {
  /** The version that it speaks, and without a connection that of the last one. */
  readonly version: 1 | 2;
  /** The largest frame that its worker takes, and without a connection that of the last one. */
  readonly maxFrameBytes: number;
  /** Writes a frame to the acknowledged connection; false if there is none. */
  send(text: string): boolean;
}

export interface ReportsDeps {
  readonly session: Session;
  readonly link: Link;
  readonly log: (line: string) => void;
}

/**
 * Delivers reports in their order. In version 2 a report is kept, and sent again on the next connection, until the
 * worker has acknowledged it. Version 1 has no acknowledgements: what was written to a socket counts as sent, and only
 * what was reported without a connection waits.
 */
export class Reports {
  readonly #deps: ReportsDeps;
  readonly #outbox = new Outbox();

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** @throws MigrationClientError if the frame cannot be sent at all. */
  report(method: string, frame: JobReportFrame): void {
    const verdict = this.#deps.session.report(frame.type);
    if (verdict.ok) this.#add(method, frame, verdict.migration);
    else this.#deps.log(`${method} dropped: ${verdict.why}`);
  }

  /** Checks an answer to `get-state` and returns the function that sends it. @throws as {@link report} */
  answer(method: string, frame: AnswerFrame, migration: Migration): () => void {
    const text = this.#encode(method, frame, migration);
    return () => this.#transmit(this.#outbox.add({ type: frame.type, method, text, migration }));
  }

  acknowledged({ seq, ignored }: ReportAckFrame): void {
    for (const { method } of this.#outbox.remove((report) => report.seq === seq)) {
      if (ignored !== undefined) this.#deps.log(`${method} was ignored by the worker: ${JSON.stringify(ignored)}`);
    }
  }

  /** Drops what the worker does not wait for any more. */
  ended(migrationId: string): void {
    this.#drop(this.#outbox.remove(({ migration }) => migration.id === migrationId));
  }

  /** Sends all that is to be delivered on a new connection, as far as it still makes sense there. */
  flush(): void {
    const { session, link } = this.#deps;
    this.#drop(this.#outbox.remove((report) => !session.mayStillSend(report, link.version)));
    for (const report of this.#outbox.reports) {
      if (!this.#transmit(this.#fit(report))) return;
    }
  }

  #add(method: string, frame: JobReportFrame, migration: Migration): void {
    const text = this.#encode(method, frame, migration);
    this.#transmit(this.#outbox.add({ type: frame.type, method, text, migration }));
  }

  #encode(method: string, frame: ReportFrame, migration: Migration): string {
    const text = encodeReport(method, frame);
    const why = this.#whyOversized({ type: frame.type, method, text, migration, seq: this.#outbox.nextSeq });
    if (why !== undefined) throw new MigrationClientError("oversized-payload", why);
    return text;
  }

  #transmit(report: OutboxReport): boolean {
    const { link } = this.#deps;
    const isSent = link.send(this.#frame(report));
    // A worker of version 1 asks for the state again on the next connection: an answer to an older question never waits.
    const isDone = link.version === 1 && (isSent || isAnswer(report));
    if (isDone) this.#outbox.remove(({ seq }) => seq === report.seq);
    return isSent;
  }

  #frame({ text, migration, seq }: OutboxReport): string {
    return this.#deps.link.version === 1 ? text : numberReport(text, migration.id ?? "", seq);
  }

  #whyOversized(report: OutboxReport): string | undefined {
    return hasPayload(report)
      ? whyOversized(report.method, this.#frame(report), this.#deps.link.maxFrameBytes)
      : undefined;
  }

  /** A report that was made for a worker that takes more would end this connection too, and every one after it. */
  #fit(report: OutboxReport): OutboxReport {
    const reason = this.#whyOversized(report);
    if (reason === undefined) return report;
    const type = isAnswer(report) ? "state-refused" : "abort";
    this.#deps.log(`${type} instead of ${reason}`);
    this.#deps.session.gaveUp(report.migration);
    const fitting = { ...report, type, text: encodeReport(report.method, { type, reason }) } as const;
    this.#outbox.replace(fitting);
    return fitting;
  }

  #drop(reports: readonly OutboxReport[]): void {
    for (const { method } of reports) {
      this.#deps.log(`${method} dropped: its migration is not in progress any more`);
    }
  }
}

function isAnswer({ type }: OutboxReport): boolean {
  return type === "state" || type === "state-refused";
}

function hasPayload({ type }: OutboxReport): boolean {
  return type === "state" || type === "target-ready" || type === "source-stopped-output";
}
