import { startMigrationWorker, type Placement } from "@changeover/migration-worker";
import { CallChannel } from "./call-channel.js";
import type { RemoteHandoverOptions, StageCall, WorkerCall } from "./worker-calls.js";

// The program of a worker in a process of its own: it can be killed while its jobs run, for it started none of them.
const [host = "", advertisedHost = "", port = "", journalDirectory = ""] = process.argv.slice(2);
// A worker must not outlive whoever started it, and a Ctrl-C in their terminal is for them to handle.
process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const channel = new CallChannel<StageCall, WorkerCall>((message) => process.send?.(message), carryOut);
const cancellations = new Map<string, AbortController>();
const attachments = new Map<string, (placement: Placement) => void>();

const worker = await startMigrationWorker({
  host,
  advertisedHost,
  port: Number(port),
  journalDirectory,
  recoverTarget: async ({ migrationId }) => {
    const placementId = await channel.call({ method: "recover", migrationId });
    return typeof placementId === "number" ? placementOf(placementId) : undefined;
  },
});
for (const job of worker.jobs()) attachments.set(job.jobId, (placement) => job.attach(placement));
worker.subscribe((event) => void channel.call({ method: "event", event }));
process.on("message", (message) => channel.receive(message));
void channel.call({ method: "listening", url: worker.url });

function carryOut(call: WorkerCall): unknown {
  switch (call.method) {
    case "register": {
      const job = worker.register(call.jobId);
      attachments.set(call.jobId, (placement) => job.attach(placement));
      return job.env;
    }
    case "attach":
      return attachments.get(call.jobId)?.(placementOf(call.placementId));
    case "handover":
      return handOver(call.jobId, call.options);
    case "cancel":
      return cancellations.get(call.jobId)?.abort(new Error(call.reason));
    case "unregister":
      return worker.unregister(call.jobId);
  }
}

async function handOver(jobId: string, options: RemoteHandoverOptions) {
  const cancellation = new AbortController();
  cancellations.set(jobId, cancellation);
  return worker.handover(jobId, {
    ...options,
    signal: cancellation.signal,
    placeTarget: async ({ migrationId, env }) =>
      placementOf(Number(await channel.call({ method: "place", jobId, migrationId, env }))),
  });
}

/** What runs elsewhere, as this worker sees it. */
function placementOf(placementId: number): Placement {
  return {
    gone: channel.call({ method: "await-gone", placementId }).then((reason) => ({ reason: String(reason) })),
    remove: async () => void (await channel.call({ method: "remove", placementId })),
  };
}
