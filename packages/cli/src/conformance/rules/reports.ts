import type { Rule } from "../rule.js";

const paragraph = "What version 2 adds to every message";

/** How reports are numbered and kept until they are acknowledged. */
export const reportRules: readonly Rule[] = [
  {
    number: 24,
    title: "names the migration of each report, and counts its reports from 1",
    paragraph,
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      await first.expectReport("state", { migrationId: "m-1", seq: 1 });
      first.command("cutover-ready", "m-1", { payload: { n: 5 } });
      await first.expectReport("source-stopped-output", { migrationId: "m-1", seq: 2 });
      first.command("abort", "m-1", { reason: "cancelled" });
      stage.drop(first);
      const second = await stage.open();
      second.command("get-state", "m-2");
      await second.expectReport("state", { migrationId: "m-2", seq: 3 });
    },
  },
  {
    number: 25,
    title: "sends reports that are not acknowledged again after a reconnect, in order and before anything new",
    paragraph,
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      await first.expect("state", { seq: 1 });
      first.command("cutover-ready", "m-1", { payload: { n: 5 } });
      await first.expect("source-stopped-output", { seq: 2 });
      stage.drop(first);
      const second = await stage.open();
      second.command("abort", "m-1", { reason: "cancelled" });
      second.command("get-state", "m-2");
      await second.expectReport("state", { migrationId: "m-1", seq: 1, payload: { active: true } });
      await second.expectReport("source-stopped-output", { migrationId: "m-1", seq: 2, payload: { n: 5 } });
      await second.expectReport("state", { migrationId: "m-2", seq: 3 });
      await second.expectQuiet();
    },
  },
  {
    number: 26,
    title: "does not send again what is acknowledged, be it as ignored",
    paragraph: "`report-ack`² — worker to job",
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      first.acknowledgeReport(await first.expect("state"));
      first.command("cutover-ready", "m-1", { payload: { n: 5 } });
      first.acknowledgeReport(await first.expect("source-stopped-output"), "it has been taken already");
      await first.expectQuiet();
      stage.drop(first);
      const second = await stage.open();
      await second.expectQuiet();
      second.command("abort", "m-1", { reason: "cancelled" });
      second.command("get-state", "m-2");
      await second.expectReport("state", { payload: { active: true } });
    },
  },
  {
    number: 27,
    title: "gives on the next connection, and once, the answer that it has begun on one that is lost",
    paragraph: "`get-state` — worker to source",
    env: { CONFORMANCE_STATE_DELAY_MS: "400" },
    check: async (stage) => {
      const first = await stage.open();
      first.command("get-state", "m-1");
      stage.drop(first);
      const second = await stage.open();
      await second.expectReport("state", { payload: { handled: 1 } });
      second.command("get-state", "m-1");
      await second.expectQuiet(700);
    },
  },
];
