import { promptMs } from "../job-connection.js";
import { Violation } from "../violation.js";
import type { Rule } from "../rule.js";

const paragraph = "`ping`², `pong`² — either way";
/** Long enough that on a busy machine an answer within the interval is no matter of luck. */
const intervalMs = 1_600;

/** How either side notices that the other one is gone. */
export const livenessRules: readonly Rule[] = [
  {
    number: 28,
    title: "answers ping by pong at once, also while it is busy with a command",
    paragraph,
    env: { CONFORMANCE_STATE_DELAY_MS: "2500" },
    check: async (stage) => {
      const connection = await stage.open();
      connection.send({ type: "ping" });
      await connection.expect("pong");
      connection.command("get-state", "m-1");
      connection.send({ type: "ping" });
      await connection.expect("pong");
      await connection.expectReport("state");
    },
  },
  {
    number: 29,
    title: "asks by ping for a sign of life after pingIntervalMs of silence, and stays as long as there is one",
    paragraph,
    check: async (stage) => {
      const connection = await stage.open({ pingIntervalMs: intervalMs });
      connection.pings = "expected";
      for (let round = 0; round < 3; round++) {
        await connection.expect("ping", {}, 2 * intervalMs + promptMs);
        connection.send({ type: "pong" });
      }
    },
  },
  {
    number: 30,
    title: "takes every frame as a sign of life, not only pong",
    paragraph,
    check: async (stage) => {
      const connection = await stage.open({ pingIntervalMs: intervalMs });
      connection.pings = "ignored";
      for (let round = 0; round < 8; round++) {
        connection.send({ type: "report-ack", seq: 1_000_000 + round });
        await connection.expectQuiet(intervalMs / 3);
      }
    },
  },
  {
    number: 31,
    title: "drops a connection that has been silent for two intervals, and connects again",
    paragraph,
    check: async (stage) => {
      const connection = await stage.open({ pingIntervalMs: intervalMs });
      connection.pings = "ignored";
      const since = performance.now();
      await connection.expectEnd(2 * intervalMs + promptMs);
      const afterMs = Math.round(performance.now() - since);
      if (afterMs < 1.5 * intervalMs) {
        throw new Violation(`an end after ${2 * intervalMs} ms of silence`, `one after ${afterMs} ms`);
      }
      await stage.open();
    },
  },
];
