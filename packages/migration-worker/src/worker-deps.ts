import type { Clock } from "./clock.js";
import type { ConnectionOwner } from "./job-connection.js";
import type { JobSocketServer, JobSocketServerOptions } from "./job-socket-server.js";
import type { OpenedJournal } from "./job/journal.js";

/** What a worker needs of the machine it runs on: passed in, so that the test kit can be that machine. */
export interface WorkerDeps {
  readonly clock: Clock;
  /** From 0 to, not including, 1. */
  readonly random: () => number;
  /** @throws MigrationWorkerError `listen-failed` */
  listen<Instance>(options: JobSocketServerOptions, owner: ConnectionOwner<Instance>): Promise<JobSocketServer>;
  /** @throws MigrationWorkerError `journal-unusable` */
  openJournal(directory: string): Promise<OpenedJournal>;
}
