import type { Placement } from "../placement.js";

/** A placement that is looked for only when it is to be removed: what a worker that has died may have left. */
export function recoverable(find: () => Promise<Placement | undefined>): Placement {
  let resolveGone: (end: { reason: string }) => void = () => {};
  let rejectGone: (error: unknown) => void = () => {};
  const gone = new Promise<{ reason: string }>((resolve, reject) => {
    resolveGone = resolve;
    rejectGone = reject;
  });
  let found: Placement | undefined;
  return {
    gone,
    remove: async () => {
      if (!found) {
        found = await find();
        if (!found) return resolveGone({ reason: "there was none" });
        found.gone.then(resolveGone, rejectGone);
      }
      return found.remove();
    },
  };
}
