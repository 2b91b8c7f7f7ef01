import { absent } from "../matches.js";
import type { Rule } from "../rule.js";

const asInVersionOne = { migrationId: absent, seq: absent };

/** How a client behaves with a worker that does not know version 2. */
export const versionOneRules: readonly Rule[] = [
  {
    number: 39,
    title: "hands over as a source of version 1, in frames without the fields of version 2",
    paragraph: "A clean handover in version 1",
    check: async (stage) => {
      const connection = await stage.open({}, 1);
      connection.command("get-state", "m-1");
      await connection.expect("state", { ...asInVersionOne, payload: { n: 0, active: true } });
      connection.command("cutover-ready", "m-1", { payload: { n: 42 } });
      await connection.expect("source-stopped-output", { ...asInVersionOne, payload: { n: 42, active: false } });
      connection.command("abort", "m-1", { reason: "cancelled" });
      connection.command("get-state", "m-2");
      await connection.expect("state", { ...asInVersionOne, payload: { n: 42, active: true } });
      await connection.expectQuiet();
    },
  },
  {
    number: 40,
    title: "takes over as a target of version 1, and is a source from then on",
    paragraph: "A clean handover in version 1",
    role: "target",
    check: async (stage) => {
      const connection = await stage.openTarget(1);
      connection.command("initial-state", "m-1", { payload: { n: 7 } });
      await connection.expect("target-ready", { ...asInVersionOne, payload: { n: 7 } });
      connection.command("cutover-apply", "m-1", { payload: { n: 9 } });
      await connection.expect("target-applied", asInVersionOne);
      await connection.expectQuiet();
      connection.command("get-state", "m-2");
      await connection.expect("state", { ...asInVersionOne, payload: { n: 9, active: true } });
    },
  },
  {
    number: 41,
    title: "sends no ping to a worker of version 1, and does not drop it for its silence",
    paragraph: "`ping`², `pong`² — either way",
    check: async (stage) => {
      // A field that version 1 does not know: whoever goes by it would be heard soon.
      const connection = await stage.open({ pingIntervalMs: 200 }, 1);
      await connection.expectQuiet(1_500);
    },
  },
  {
    number: 42,
    title: "does not send an answer of an older connection to a worker of version 1, which asks again",
    paragraph: "`get-state` — worker to source",
    env: { CONFORMANCE_STATE_DELAY_MS: "1000" },
    check: async (stage) => {
      const first = await stage.open({}, 1);
      first.command("get-state", "m-1");
      stage.drop(first);
      const second = await stage.open({}, 1);
      await second.expectQuiet(1_500);
      second.command("get-state", "m-1");
      await second.expect("state");
      await second.expectQuiet(1_500);
    },
  },
];
