import { atLeast, someText, textOfLength } from "../matches.js";
import type { Rule } from "../rule.js";

/** What a source does in a handover. */
export const sourceRules: readonly Rule[] = [
  {
    number: 6,
    title: "answers each get-state exactly once",
    paragraph: "`get-state` — worker to source",
    check: async (stage) => {
      const connection = await stage.open();
      for (const migrationId of ["m-1", "m-2", "m-3"]) {
        connection.command("get-state", migrationId);
        await connection.expectReport("state", { payload: { n: 0, active: true } });
        await connection.expectQuiet();
        connection.command("abort", migrationId, { reason: "cancelled" });
      }
      await connection.expectQuiet();
    },
  },
  {
    number: 7,
    title: "refuses with the reason of the job, each time it is asked",
    paragraph: "`state-refused` — source to worker",
    env: { CONFORMANCE_REFUSE: "an advert is on air" },
    check: async (stage) => {
      const connection = await stage.open();
      for (const migrationId of ["m-1", "m-2"]) {
        connection.command("get-state", migrationId);
        await connection.expectReport("state-refused", { reason: "an advert is on air" });
        await connection.expectQuiet();
      }
    },
  },
  {
    number: 8,
    title: "refuses a state that makes a larger frame than limits.maxFrameBytes, and sends one that does not",
    paragraph: "`state-refused` — source to worker",
    env: { CONFORMANCE_FILLER_BYTES: "30000" },
    check: async (stage) => {
      const narrow = await stage.open({ limits: { maxFrameBytes: 20_000 } });
      narrow.command("get-state", "m-1");
      await narrow.expectReport("state-refused", { reason: someText });
      await narrow.expectQuiet();
      stage.drop(narrow);
      const wide = await stage.open({ limits: { maxFrameBytes: 40_000 } });
      wide.command("get-state", "m-2");
      await wide.expectReport("state", { payload: { filler: textOfLength(30_000) } });
    },
  },
  {
    number: 9,
    title: "stops at or after the position that it is given, and says where",
    paragraph: "`cutover-ready` — worker to source",
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      connection.command("cutover-ready", "m-1", { payload: { n: 42 } });
      await connection.expectReport("source-stopped-output", { payload: { n: atLeast(42), active: false } });
      await connection.expectQuiet();
    },
  },
  {
    number: 10,
    title: "resumes after an abort",
    paragraph: "`abort` — either way",
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      connection.command("cutover-ready", "m-1", { payload: { n: 42 } });
      await connection.expectReport("source-stopped-output");
      connection.command("abort", "m-1", { reason: "cancelled" });
      await connection.expectQuiet();
      connection.command("get-state", "m-2");
      await connection.expectReport("state", { payload: { n: atLeast(42), active: true } });
    },
  },
  {
    number: 11,
    title: "does not stop when the abort comes first",
    paragraph: "`abort` — either way",
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      connection.command("cutover-ready", "m-1", { payload: { n: 42, delayMs: 500 } });
      connection.command("abort", "m-1", { reason: "cancelled" });
      await connection.expectQuiet(1_000);
      connection.command("get-state", "m-2");
      await connection.expectReport("state", { payload: { active: true } });
    },
  },
  {
    number: 12,
    title: "does not carry out commands of a migration that was aborted",
    paragraph: "`abort` — either way",
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      connection.command("abort", "m-1", { reason: "cancelled" });
      connection.command("cutover-ready", "m-1", { payload: { n: 42 } });
      await connection.expectQuiet();
      connection.command("get-state", "m-2");
      await connection.expectReport("state", { payload: { n: 0, active: true } });
    },
  },
  {
    number: 13,
    title: "gives a handover up by an abort with its reason, and goes on",
    paragraph: "`abort` — either way",
    check: async (stage) => {
      const connection = await stage.open();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      connection.command("cutover-ready", "m-1", { payload: { n: 42, abort: "the disk is full" } });
      await connection.expectReport("abort", { reason: "the disk is full" });
      await connection.expectQuiet();
      connection.command("abort", "m-1", { reason: "the disk is full" });
      connection.command("get-state", "m-2");
      await connection.expectReport("state", { payload: { active: true } });
    },
  },
];
