import type { Rule } from "../rule.js";

const paragraph = "What version 2 adds to every message";

/** What a client does with a command that comes twice. */
export const repeatedCommandRules: readonly Rule[] = [
  {
    number: 19,
    title: "answers a get-state that is repeated once",
    paragraph,
    env: { CONFORMANCE_STATE_DELAY_MS: "300" },
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      connection.command("get-state", "m-1");
      await connection.expectReport("state", { payload: { handled: 1 } });
      connection.command("get-state", "m-1");
      await connection.expectQuiet(800);
    },
  },
  {
    number: 20,
    title: "stops once when cutover-ready is repeated, also after a reconnect",
    paragraph,
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      await first.expectReport("state");
      first.command("cutover-ready", "m-1", { payload: { n: 5 } });
      first.command("cutover-ready", "m-1", { payload: { n: 5 } });
      await first.expectReport("source-stopped-output", { payload: { handled: 2 } });
      await first.expectQuiet();
      stage.drop(first);
      const second = await stage.open();
      second.command("cutover-ready", "m-1", { payload: { n: 5 } });
      await second.expectQuiet();
    },
  },
  {
    number: 21,
    title: "takes over once when cutover-apply is repeated, also after a reconnect",
    paragraph,
    role: "target",
    check: async (stage) => {
      const first = await stage.openTarget();
      first.command("initial-state", "m-1", { payload: { n: 7 } });
      await first.expectReport("target-ready");
      first.command("cutover-apply", "m-1", { payload: { n: 9 } });
      first.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await first.expectReport("target-applied");
      await first.expectQuiet();
      stage.drop(first);
      const second = await stage.openTarget();
      second.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await second.expectQuiet();
    },
  },
  {
    number: 22,
    title: "treats a repeated abort as one",
    paragraph: "`abort` — either way",
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      await first.expectReport("state", { payload: { handled: 1 } });
      first.command("abort", "m-1", { reason: "cancelled" });
      first.command("abort", "m-1", { reason: "cancelled" });
      stage.drop(first);
      const second = await stage.open();
      second.command("abort", "m-1", { reason: "cancelled" });
      await second.expectQuiet();
      second.command("get-state", "m-2");
      await second.expectReport("state", { payload: { handled: 3 } });
    },
  },
  {
    number: 23,
    title: "treats a repeated committed as one",
    paragraph: "`committed`² — worker to both",
    role: "target",
    check: async (stage) => {
      const first = await stage.openTarget();
      first.command("initial-state", "m-1", { payload: { n: 7 } });
      await first.expectReport("target-ready");
      first.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await first.expectReport("target-applied");
      first.send({ type: "committed", migrationId: "m-1", epoch: 2 });
      first.send({ type: "committed", migrationId: "m-1", epoch: 2 });
      stage.drop(first);
      const second = await stage.open();
      second.send({ type: "committed", migrationId: "m-1", epoch: 2 });
      await second.expectQuiet();
      second.command("get-state", "m-2");
      await second.expectReport("state", { payload: { handled: 4 } });
    },
  },
];
