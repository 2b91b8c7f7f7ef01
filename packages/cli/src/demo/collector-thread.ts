import { parentPort, workerData } from "node:worker_threads";
import { Collector } from "./collector.js";
import type { CollectorAnswer, CollectorCall } from "./remote-collector.js";

const collector = await Collector.listen(String(workerData));
const answer = (message: CollectorAnswer): void => parentPort?.postMessage(message);

parentPort?.on("message", async ({ id, call }: { id: number; call: CollectorCall }) => {
  answer({ id, result: await carryOut(call) });
});
answer({ id: 0, result: collector.port });

function carryOut(call: CollectorCall): unknown {
  switch (call.method) {
    case "tally":
      return collector.tally();
    case "arrivals":
      return collector.arrivals(call.count);
    case "longestIntervalMs":
      return collector.longestIntervalMs(call.sinceMs);
    case "holdNextConnection":
      return collector.holdNextConnection();
    case "release":
      return collector.release();
    case "close":
      return collector.close();
  }
}
