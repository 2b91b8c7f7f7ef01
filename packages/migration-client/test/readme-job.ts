import { connectMigration } from "@changeover/migration-client";

let n = 0;
let active = false;
const job = connectMigration({
  onGetState: () => n,
  onInitialState: (state) => job.reportReady((n = Number(state))),
  onCutoverReady: () => {
    active = false;
    job.reportStoppedOutput(n);
  },
  onCutoverApply: (stoppedAt) => {
    n = Number(stoppedAt);
    active = true;
    job.reportApplied();
  },
  onAbort: () => (active = job.role === "source"),
});
setInterval(() => active && process.stdout.write(`${n++}\n`), 100);
if ((await job.ready) !== "target") active = true;
