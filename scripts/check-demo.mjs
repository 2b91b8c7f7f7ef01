// Reads what `changeover demo --json` printed and says whether it is what the demo promises.
import { readFileSync } from "node:fs";

const [file = "/dev/stdin"] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, "utf8"));
const times = report.restart.silenceMs / report.silenceMs.p50;
const promises = {
  "10 handovers completed": report.handovers === 10,
  "1 refused": report.refused === 1,
  "3 crashes recovered from": report.recovered === 3,
  "nothing lost": report.lost === 0,
  "nothing doubled": report.doubled === 0,
  "nothing lost in the crash: the target had kept what the dead source had not sent": report.lostInCrash === 0,
  [`silence at least 20 times smaller than the usual way's (${times.toFixed(0)} times)`]: times >= 20,
};
for (const [promise, isKept] of Object.entries(promises)) console.log(`${isKept ? "✔" : "✖"} ${promise}`);
process.exitCode = Object.values(promises).every(Boolean) ? 0 : 1;
