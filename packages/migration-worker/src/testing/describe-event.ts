import type { WorkerEvent } from "../events.js";
import type { HandoverEnd } from "../handover/end.js";

/** An event of the worker as a trace shows it; nothing where the messages say it already. */
export function describeEvent(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case "connected":
    case "listening":
      return undefined;
    case "disconnected": {
      const reason = event.reason === "" ? "" : ` (${event.reason})`;
      return `the connection of the ${event.side} is gone: ${event.code}${reason}`;
    }
    case "phase":
      return `phase ${event.phase} {${event.migrationId}, within ${event.deadlineMs} ms}`;
    case "ended":
      return describeEnd(event.end);
    case "gone":
      return `the ${event.side} is gone: ${event.reason}`;
    case "ignored":
      return `${event.what} ignored: ${event.reason}`;
    case "remove-failed":
      return `the ${event.side} could not be removed: ${event.reason}`;
    case "violation":
      return `violation by the ${event.side}: ${event.reason}`;
    case "rejected":
      return `rejected: ${event.code} ${event.reason}`;
    case "journal-failed":
      return `the journal could not be written: ${event.reason}`;
    default:
      return `${event.type} {${event.migrationId}}: ${event.reason}`;
  }
}

export function describeEnd(end: HandoverEnd): string {
  const what = `${end.outcome} {${end.migrationId}}`;
  switch (end.outcome) {
    case "completed":
      return end.sourceLost === undefined ? what : `${what}: the source was lost: ${end.sourceLost}`;
    case "willing":
      return `${what}: ${end.stateBytes} bytes`;
    case "refused":
      return `${what}: ${end.reason}`;
    case "aborted":
      return `${what} in ${end.phase}, active is ${end.active}: ${end.reason}`;
    case "indeterminate":
      return `${what} in ${end.phase}: ${end.reason}`;
  }
}
