import { CLOSE_CODE } from "@changeover/migration-protocol";
import type { JobConnection } from "../job-connection.js";
import type { Rule } from "../rule.js";
import { Violation } from "../violation.js";

const paragraph = "Close codes of the worker";
/** How many connections make a storm if they come within that time, chance included. */
const storm = { connections: 20, ms: 1_500 };
/** What a connection takes by itself, in units of the time between its opening and its hello. */
const connectionCost = 1.5;

/** What a client does after its connection has ended. */
export const reconnectRules: readonly Rule[] = [
  {
    number: 35,
    title: "connects again after its connection was lost, and when the worker restarts (1012)",
    paragraph: "Connection",
    check: async (stage) => {
      const first = await stage.open();
      await first.expectQuiet(100);
      first.cut();
      const second = await stage.open();
      second.close(CLOSE_CODE.workerRestarting, "the worker restarts");
      const third = await stage.open();
      third.command("get-state", "m-1");
      await third.expectReport("state");
    },
  },
  {
    number: 36,
    title: "keeps trying after a violation (4400) and an unknown token (4401)",
    paragraph,
    check: async (stage) => {
      const first = await stage.open();
      first.close(CLOSE_CODE.protocolViolation, "a violation");
      const second = await stage.connection();
      await second.expect("hello");
      second.close(CLOSE_CODE.unknownToken, "unknown token");
      const third = await stage.open();
      third.command("get-state", "m-1");
      await third.expectReport("state");
    },
  },
  {
    number: 37,
    title: "does not hurry when each of its connections is lost at once",
    paragraph: "Connection",
    check: async (stage) => {
      // What the client has waited is what its connections took, less what they take on this machine at this moment.
      let connection: JobConnection | undefined = await stage.connection();
      let waitedMs = 0;
      for (let count = 1; connection && waitedMs < storm.ms; count++) {
        if (count > storm.connections) {
          const expected = `${storm.ms} ms of waiting in ${storm.connections} connections that are lost`;
          throw new Violation(expected, `${Math.round(waitedMs)} ms`);
        }
        const openedAt = performance.now();
        await connection.expect("hello");
        const lostAt = performance.now();
        connection.cut();
        const costMs = connectionCost * (lostAt - openedAt);
        connection = await stage.nextConnection(storm.ms - waitedMs + costMs);
        waitedMs += Math.max(0, performance.now() - lostAt - costMs);
      }
      // One that came as the time was over waits for an acknowledgement, and no other one would come beside it.
      connection?.cut();
      await stage.open();
    },
  },
  {
    number: 38,
    title: "stays away when a newer connection of the same instance took over (4409)",
    paragraph,
    check: async (stage) => {
      const connection = await stage.open();
      connection.close(CLOSE_CODE.superseded, "superseded");
      if (await stage.nextConnection(2_000)) throw new Violation("no other connection for 2000 ms", "one");
    },
  },
];
