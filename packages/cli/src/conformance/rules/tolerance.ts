import type { Rule } from "../rule.js";

/** What a client does with what it does not know. */
export const toleranceRules: readonly Rule[] = [
  {
    number: 32,
    title: "skips frames of a type that it does not know",
    paragraph: "Connection",
    check: async (stage) => {
      const connection = await stage.open();
      connection.send({ type: "weather", migrationId: "m-1", payload: { sun: true } });
      await connection.expectQuiet();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
      await connection.expectQuiet();
    },
  },
  {
    number: 33,
    title: "ignores fields that it does not know",
    paragraph: "Connection",
    check: async (stage) => {
      const connection = await stage.open({ limits: { maxFrameBytes: 1_000_000, colour: "red" }, mood: ["good"] });
      connection.command("get-state", "m-1", { payload: { n: 5 }, priority: { level: 3 } });
      const state = await connection.expect("state", { payload: { n: 0 } });
      connection.send({ type: "report-ack", seq: state["seq"], tookMs: 3 });
      connection.command("cutover-ready", "m-1", { payload: { n: 5, colour: "red" }, priority: null });
      await connection.expectReport("source-stopped-output");
    },
  },
  {
    number: 34,
    title: "survives what is no frame: binary data, text that is not JSON, JSON without a type",
    paragraph: "Connection",
    check: async (stage) => {
      const connection = await stage.open();
      connection.sendRaw(new Uint8Array([0, 159, 146, 150]));
      connection.sendRaw('{"type":"get-st');
      connection.sendRaw("null");
      connection.sendRaw('{"migrationId":"m-1"}');
      await connection.expectQuiet();
      connection.command("get-state", "m-1");
      await connection.expectReport("state");
    },
  },
];
