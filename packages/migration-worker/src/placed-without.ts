import { messageOf } from "./errors.js";
import { checkPlacement, goneReason, type Placement } from "./placement.js";

/**
 * Starts an instance, and takes its token out of all that is said of it. Whoever cannot start or remove a process or a
 * container tends to say with which arguments, and the token is among them.
 */
export async function placedWithout(token: string, place: () => Promise<Placement>): Promise<Placement> {
  const redact = (text: string): string => text.replaceAll(token, "[token]");
  const redacted = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      // A cause would show what the message hides.
      // oxlint-disable-next-line preserve-caught-error
      throw new Error(redact(messageOf(error)));
    }
  };
  const placement = await redacted(async () => checkPlacement(await place(), "placeTarget"));
  return {
    gone: redacted(async () => ({ reason: redact(goneReason(await placement.gone)) })),
    remove: () => redacted(() => placement.remove()),
  };
}
