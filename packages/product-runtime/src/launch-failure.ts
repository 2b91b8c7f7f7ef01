import { acceleratorAdvice } from "./accelerators/start-failure.js";
import type { AcceleratorHardware } from "./accelerators/hardware.js";
import { howItEnded, type ContainerEnd } from "./container-end.js";
import { engineFailure, engineText, statusOf } from "./engine-response.js";
import type { LaunchChoices } from "./launch-choices.js";
import { ProductRuntimeError, type ProductRuntimeErrorCode } from "./product-runtime-error.js";
import type { Redact } from "./redact.js";

/** A launched container in a message. */
export function subjectOf({ role, name, image }: LaunchChoices): string {
  return `the ${role} container ${JSON.stringify(name)} (image ${JSON.stringify(image)})`;
}

/** Why an engine did not create a container. */
export function createFailure(choices: LaunchChoices, error: unknown, redact: Redact): ProductRuntimeError {
  const subject = subjectOf(choices);
  const text = redact(engineText(error));
  const advice = adviceFor(choices, text);
  if (advice !== undefined) {
    return new ProductRuntimeError(advice.code, `${subject} cannot be created: ${text}\n${advice.text}`, {
      cause: error,
    });
  }
  switch (statusOf(error)) {
    case 404:
      return new ProductRuntimeError("image-not-found", `${subject} cannot be created: ${text}`, { cause: error });
    case 409:
      return new ProductRuntimeError(
        "name-taken",
        `${subject} cannot be created: another container has its name. Remove that one (docker rm -f ${choices.name}) ` +
          "or choose another name",
        { cause: error },
      );
    case undefined:
      return engineFailure(`creating ${subject}`, error);
    default:
      return new ProductRuntimeError("engine-failed", `${subject} cannot be created: ${text}`, { cause: error });
  }
}

/** Why an engine did not start a container that it had created. */
export function startFailure(
  choices: LaunchChoices,
  hardware: AcceleratorHardware,
  error: unknown,
  redact: Redact,
): ProductRuntimeError {
  if (statusOf(error) === undefined) return engineFailure(`starting ${subjectOf(choices)}`, error);
  const text = redact(engineText(error));
  const message = `${subjectOf(choices)} cannot be started: ${text}`;
  const missing = acceleratorAdvice(hardware, text);
  if (missing !== undefined) {
    return new ProductRuntimeError("accelerator-unavailable", `${message}\n${missing}`, { cause: error });
  }
  const advice = adviceFor(choices, text);
  return new ProductRuntimeError("start-failed", advice === undefined ? message : `${message}\n${advice.text}`, {
    cause: error,
  });
}

/** What to do about failures that a choice brought about. Engines differ in when they notice. */
function adviceFor(
  { network }: LaunchChoices,
  text: string,
): { code: ProductRuntimeErrorCode; text: string } | undefined {
  if (/no command specified/i.test(text)) {
    return { code: "engine-failed", text: "Give a command, or an image that has one of its own (CMD or ENTRYPOINT)." };
  }
  if (network !== undefined && /\bnetwork \S+ not found/i.test(text)) {
    return {
      code: "start-failed",
      text: `Create it (docker network create ${network}), or choose another "network".`,
    };
  }
  return undefined;
}

/** A container ended when it should have become ready. */
export function exitFailure(choices: LaunchChoices, end: ContainerEnd): ProductRuntimeError {
  const how = howItEnded(end.exitCode, end.oomKilled);
  const message = `${subjectOf(choices)} ${how} before it was ready; ${lastLines(end.logTail)}`;
  return new ProductRuntimeError("container-exited", message, { end });
}

/** The last lines of output at the end of a message. */
export function lastLines(lines: readonly string[]): string {
  if (lines.length === 0) return "it printed nothing";
  return `its last output:${lines.map((line) => `\n    ${line}`).join("")}`;
}
