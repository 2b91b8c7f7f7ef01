import type { Rule } from "../rule.js";

/** What a target does in a handover. */
export const targetRules: readonly Rule[] = [
  {
    number: 14,
    title: "reports ready once, after hello-ack, with the position from which it can take over",
    paragraph: "`target-ready` — target to worker",
    role: "target",
    check: async (stage) => {
      const connection = await stage.connection();
      await connection.expect("hello");
      await connection.expectQuiet();
      connection.acknowledge({ migration: { id: "m-1" } });
      connection.command("initial-state", "m-1", { payload: { n: 7 } });
      await connection.expectReport("target-ready", { payload: { n: 7, active: false } });
      await connection.expectQuiet();
    },
  },
  {
    number: 15,
    title: "acts on initial-state at most once for a migration, also after a reconnect",
    paragraph: "`initial-state` — worker to target",
    role: "target",
    check: async (stage) => {
      const first = await stage.openTarget();
      first.command("initial-state", "m-1", { payload: { n: 7, delayMs: 800 } });
      first.command("initial-state", "m-1", { payload: { n: 7, delayMs: 800 } });
      stage.drop(first);
      const second = await stage.openTarget();
      second.command("initial-state", "m-1", { payload: { n: 7, delayMs: 800 } });
      await second.expectReport("target-ready", { payload: { n: 7, handled: 1 } });
      await second.expectQuiet(1_000);
    },
  },
  {
    number: 16,
    title: "takes over when it is told to and not before, and says so",
    paragraph: "`cutover-apply` — worker to target",
    role: "target",
    check: async (stage) => {
      const connection = await stage.openTarget();
      connection.command("initial-state", "m-1", { payload: { n: 7 } });
      await connection.expectReport("target-ready", { payload: { active: false } });
      await connection.expectQuiet();
      connection.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await connection.expectReport("target-applied");
      await connection.expectQuiet();
    },
  },
  {
    number: 17,
    title: "does not take over after an abort",
    paragraph: "`abort` — either way",
    role: "target",
    check: async (stage) => {
      const connection = await stage.openTarget();
      connection.command("initial-state", "m-1", { payload: { n: 7 } });
      await connection.expectReport("target-ready");
      connection.command("abort", "m-1", { reason: "cancelled" });
      connection.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await connection.expectQuiet(600);
    },
  },
  {
    number: 18,
    title: "is the source of the next handover once it is committed",
    paragraph: "`committed`² — worker to both",
    role: "target",
    check: async (stage) => {
      const connection = await stage.openTarget();
      connection.command("initial-state", "m-1", { payload: { n: 7 } });
      await connection.expectReport("target-ready");
      connection.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await connection.expectReport("target-applied");
      connection.send({ type: "committed", migrationId: "m-1", epoch: 2 });
      await connection.expectQuiet();
      connection.command("get-state", "m-2");
      await connection.expectReport("state", { payload: { n: 9, active: true } });
      connection.command("cutover-ready", "m-2", { payload: { n: 12 } });
      await connection.expectReport("source-stopped-output", { payload: { n: 12, active: false } });
    },
  },
];
