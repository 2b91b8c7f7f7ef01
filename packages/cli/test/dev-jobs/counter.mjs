// A job that counts; its first argument says what it does wrong.
import { connectMigration, stateRefusal } from "@changeover/migration-client";

const [fault] = process.argv.slice(2);
let n = 0;
process.stdout.write(`counting, as ${process.env.NORSK_RUNTIME_ROLE}\n`);
if (fault === "tells") process.stdout.write(`token ${process.env.NORSK_WORKER_TOKEN}\n`);
setInterval(() => n++, 10);

const client = connectMigration(
  {
    onGetState: () => {
      if (fault === "throws") throw new Error("the disk is full");
      if (fault === "mute") return new Promise(() => {});
      return fault === "refuses" ? stateRefusal("in the middle of a scene") : { n, note: "x".repeat(500) };
    },
    onInitialState: (state) => {
      if (fault === "target dies") {
        process.stderr.write("listen EADDRINUSE: address already in use :::8080\n");
        process.exit(7);
      }
      n = state.n;
      client.reportReady({ n });
    },
    onCutoverReady: () => {
      if (fault === "stop throws") throw new Error("no such stream");
      client.reportStoppedOutput({ n });
    },
    onCutoverApply: () => client.reportApplied(),
  },
  process.env,
  { reconnectMinMs: 20, reconnectMaxMs: 100 },
);
