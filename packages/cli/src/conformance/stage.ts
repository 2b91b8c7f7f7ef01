import { CLOSE_CODE, JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { randomBytes } from "node:crypto";
import { ClientProcess } from "./client-process.js";
import type { JobConnection } from "./job-connection.js";
import { ScriptedWorker } from "./scripted-worker.js";
import { Violation } from "./violation.js";

/** How long a client may wait before it connects again; see docs/conformance.md for what the job asks of it. */
const reconnectTimeoutMs = 10_000;

const maxShownOutput = 1_000;

export interface StageOptions {
  readonly command: readonly string[];
  readonly role: "source" | "target";
  readonly env: Readonly<Record<string, string>>;
  /** How long the client may take from its start to its connection. */
  readonly startTimeoutMs: number;
}

/** A scripted worker and the client under test, for one rule. */
export class Stage {
  readonly token = randomBytes(16).toString("hex");
  /** What has happened so far, a line each. */
  readonly sequence: string[];
  readonly #options: StageOptions;
  readonly #worker: ScriptedWorker;
  readonly #clients: ClientProcess[] = [];
  #hasConnected = false;

  private constructor(options: StageOptions, worker: ScriptedWorker, sequence: string[]) {
    this.#options = options;
    this.#worker = worker;
    this.sequence = sequence;
  }

  /** Starts a worker, and a client that is to connect to it. */
  static async start(options: StageOptions): Promise<Stage> {
    const sequence: string[] = [];
    const worker = await ScriptedWorker.listen((line) => sequence.push(line));
    const stage = new Stage(options, worker, sequence);
    stage.startClient();
    return stage;
  }

  get path(): string {
    return this.#worker.path;
  }

  /** What the clients have written to their standard output and error. */
  get output(): string {
    return this.#clients.map(({ output }) => output).join("");
  }

  /** Starts a client; the first one has been started already. */
  startClient(): void {
    const { command, role, env } = this.#options;
    const client = new ClientProcess(command, {
      ...env,
      [JOB_SOCKET_ENV.url]: this.#worker.url,
      [JOB_SOCKET_ENV.token]: this.token,
      [JOB_SOCKET_ENV.jobId]: "conformance",
      [JOB_SOCKET_ENV.role]: role,
      ...(role === "target" ? { [JOB_SOCKET_ENV.migrationId]: "m-1" } : {}),
    });
    this.#clients.push(client);
    this.#hasConnected = false;
  }

  /** The next connection, in the order in which they come. */
  async connection(): Promise<JobConnection> {
    const withinMs = this.#hasConnected ? reconnectTimeoutMs : this.#options.startTimeoutMs;
    const connection = await this.nextConnection(withinMs);
    if (connection) return connection;
    const client = this.#clients.at(-1);
    throw new Violation("a connection", client?.hasEnded ? await describeEnd(client) : `none within ${withinMs} ms`);
  }

  /** As {@link connection}, but undefined where none comes. */
  async nextConnection(withinMs: number): Promise<JobConnection | undefined> {
    const client = this.#clients.at(-1);
    // A client that is dead will not connect; the moment is for a connection that it has made just before.
    const death = client?.gone.then(
      () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 100)),
    );
    const connection = await Promise.race([this.#worker.connections.next(withinMs), death]);
    if (connection) this.#hasConnected = true;
    return connection;
  }

  /** The next connection, with its hello taken and acknowledged. */
  async open(fields: Readonly<Record<string, unknown>> = {}, version: 1 | 2 = 2): Promise<JobConnection> {
    const connection = await this.connection();
    await connection.expect("hello", {});
    connection.acknowledge(fields, version);
    return connection;
  }

  /** The same for a target of the migration `m-1`. */
  openTarget(version: 1 | 2 = 2): Promise<JobConnection> {
    return this.open({ migration: { id: "m-1" } }, version);
  }

  /** Ends a connection in such a way that what was sent on it has arrived, and leaves the client to come back. */
  drop(connection: JobConnection): void {
    connection.close(CLOSE_CODE.workerRestarting, "the worker restarts");
  }

  async close(): Promise<void> {
    // The clients first: without their worker they would only try to connect again.
    await Promise.all(this.#clients.map((client) => client.stop()));
    await this.#worker.close();
  }
}

async function describeEnd(client: ClientProcess): Promise<string> {
  const output = client.output.trim();
  return `a client that ${await client.gone}${output === "" ? "" : `: ${output.slice(-maxShownOutput)}`}`;
}
