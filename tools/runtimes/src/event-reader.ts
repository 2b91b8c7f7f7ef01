import type { JobEvent } from "./job-plan.js";

/** Sorts what a job has printed into its events and everything else. */
export class EventReader {
  readonly events: JobEvent[] = [];
  readonly complaints: string[] = [];
  #rest = "";

  /** Takes a piece of a stream, which may end anywhere. */
  text(piece: string): void {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.line(line);
  }

  line(line: string): void {
    try {
      this.events.push(JSON.parse(line));
    } catch {
      this.complaints.push(line);
    }
  }

  complaint(text: string): void {
    this.complaints.push(text);
  }
}
