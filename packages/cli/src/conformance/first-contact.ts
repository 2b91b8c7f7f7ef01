import type { Subject } from "./check-rule.js";
import { Stage } from "./stage.js";
import { unlessAborted } from "./unless-aborted.js";
import { Violation } from "./violation.js";

/** Sees that the command starts something that connects at all: else each rule would only fail by its time-out. */
export async function makeFirstContact(subject: Subject, signal: AbortSignal): Promise<void> {
  const stage = await Stage.start({ ...subject, role: "source", env: {} });
  try {
    await unlessAborted(stage.connection(), signal);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Error(
      `\`${subject.command.join(" ")}\` did not connect to its worker: ${error.got}.\n` +
        "It is to be a job that connects to the URL in NORSK_WORKER_WS_URL and does what docs/conformance.md says.",
      { cause: error },
    );
  } finally {
    await stage.close();
  }
}
