import type { WorkerEvent } from "../events.js";
import type { Side } from "../handover/handover.js";

interface JobConnections {
  readonly open: Record<Side, number>;
  /** Between `commit` and the end both instances of a handover are called `source`. */
  isCommitting: boolean;
}

/** Counts connected instances from a worker's events. */
export class ConnectedInstances {
  readonly #jobs = new Map<string, JobConnections>();

  get count(): number {
    let count = 0;
    for (const { open } of this.#jobs.values()) count += open.source + open.target;
    return count;
  }

  /** Takes an event and returns by how much the count has changed. */
  take(event: WorkerEvent): number {
    switch (event.type) {
      case "connected": {
        const { open, isCommitting } = this.#connectionsOf(event.jobId);
        // A connection that replaces an older one of its instance is announced, the end of the older one is not.
        if (open[event.side] >= (event.side === "source" && isCommitting ? 2 : 1)) return 0;
        open[event.side]++;
        return 1;
      }
      case "disconnected": {
        const { open } = this.#connectionsOf(event.jobId);
        // An instance that had connected before anybody listened.
        if (open[event.side] === 0) return 0;
        open[event.side]--;
        if (open.source + open.target === 0) this.#jobs.delete(event.jobId);
        return -1;
      }
      case "phase":
        if (event.phase === "commit") this.#promote(event.jobId, true);
        return 0;
      case "ended":
        if (event.end.outcome === "completed") this.#promote(event.jobId, false);
        return 0;
      default:
        return 0;
    }
  }

  #promote(jobId: string, isCommitting: boolean): void {
    const connections = this.#jobs.get(jobId);
    if (!connections) return;
    const { open } = connections;
    connections.isCommitting = isCommitting;
    open.source += open.target;
    open.target = 0;
  }

  #connectionsOf(jobId: string): JobConnections {
    let connections = this.#jobs.get(jobId);
    if (!connections) {
      connections = { open: { source: 0, target: 0 }, isCommitting: false };
      this.#jobs.set(jobId, connections);
    }
    return connections;
  }
}
