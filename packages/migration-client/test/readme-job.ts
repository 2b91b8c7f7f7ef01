import { connectHandover } from "@changeover/migration-client";

let n = 0;
let active = false;
const handover = connectHandover({
  getState: () => n,
  stopAt() {
    active = false;
    return n;
  },
  resume: () => (active = true),
  adopt: (state) => state,
  takeOver(stoppedAt) {
    n = stoppedAt;
    active = true;
  },
});
setInterval(() => active && process.stdout.write(`${n++}\n`), 100);
if ((await handover.ready) !== "target") active = true;
