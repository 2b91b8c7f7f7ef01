import type { Clock } from "../clock.js";

/** What has not ended after an hour does not end: the longest deadlines together are some minutes. */
const patienceMs = 3_600_000;

/** The same promise, but it rejects with what `explain` says where it would wait for ever. */
export async function inTime<T>(clock: Clock, promise: Promise<T>, explain: () => string): Promise<T> {
  let stopTimer = (): void => {};
  const tooLate = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new Error(`nothing ended within ${patienceMs} ms\n${explain()}`));
    stopTimer = clock.setTimer(giveUp, patienceMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    stopTimer();
  }
}
