import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { startMigrationWorker, type MigrationWorker, type MigrationWorkerOptions } from "@changeover/migration-worker";
import { eventually } from "./eventually.js";
import { JOB_PLAN_ENV, type JobEvent, type JobPlan } from "./job-plan.js";
import type { Instance, Runtime } from "./runtime.js";
import { scriptedWorker, type Acknowledgement, type ScriptedWorker } from "./scripted-worker.js";

/** The token of jobs that talk to a scripted worker. */
export const TOKEN = "s3cret-t0ken";

type EventOf<T extends JobEvent["type"]> = Extract<JobEvent, { type: T }>;

/** A job that a case has started. */
export interface Job extends Instance {
  eventsOf<T extends JobEvent["type"]>(type: T): EventOf<T>[];
  /** The handlers that were called, in order. */
  readonly calls: readonly string[];
  /** Resolves as soon as a line of the client's log contains this. */
  logged(text: string, times?: number): Promise<void>;
  called(handler: string, times?: number): Promise<EventOf<"call">>;
  /** Resolves with the acknowledged role. */
  ready(): Promise<string>;
}

/** Where a case runs: it makes jobs and workers, and puts everything away. */
export class Stage {
  readonly runtime: Runtime;
  readonly #instances: { readonly instance: Instance; readonly secret: string }[] = [];
  readonly #scripted: ScriptedWorker[] = [];
  readonly #cleanUps: (() => Promise<void>)[] = [];

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  async start(env: Record<string, string>, plan: JobPlan = {}): Promise<Job> {
    const instance = await this.runtime.start({ ...env, [JOB_PLAN_ENV]: JSON.stringify(plan) });
    this.#instances.push({ instance, secret: env[JOB_SOCKET_ENV.token] ?? TOKEN });
    return asJob(instance);
  }

  /** A job of the scripted worker at this address. */
  startAt(url: string, plan?: JobPlan, token = TOKEN): Promise<Job> {
    return this.start({ [JOB_SOCKET_ENV.url]: url, [JOB_SOCKET_ENV.token]: token }, plan);
  }

  async worker(options: MigrationWorkerOptions = {}): Promise<MigrationWorker> {
    const { origin } = this.runtime;
    const worker = await startMigrationWorker({ allowedOrigins: origin === undefined ? [] : [origin], ...options });
    this.cleanUp(() => worker.close({ graceMs: 0 }));
    return worker;
  }

  async scripted(
    acknowledge: (nth: number, token: string) => Acknowledgement | undefined,
    port?: number,
  ): Promise<ScriptedWorker> {
    const worker = await scriptedWorker(acknowledge, port);
    this.#scripted.push(worker);
    this.cleanUp(() => worker.stop());
    return worker;
  }

  cleanUp(run: () => Promise<void>): void {
    this.#cleanUps.push(run);
  }

  /** Ends everything, and returns what must not be in any case: errors that nobody handled, tokens in a log. */
  async end(): Promise<string[]> {
    // The jobs first: without a worker they would have one more thing to complain about.
    await Promise.all(this.#instances.map(({ instance }) => instance.remove()));
    for (const cleanUp of this.#cleanUps.toReversed()) await cleanUp();
    const printed = this.#instances.flatMap(({ instance }) => instance.complaints).join("\n");
    const leaks = this.#instances.filter(({ instance, secret }) => JSON.stringify(instance.events).includes(secret));
    return [
      ...(printed === "" ? [] : [`the runtime printed: ${printed}`]),
      ...(leaks.length === 0 ? [] : ["the token is in the log"]),
      ...this.#scripted.flatMap(({ violations }) => violations).map((reason) => `violation: ${reason}`),
    ];
  }

  /** What the jobs told, for the report of a failure. */
  story(): string {
    return this.#instances.map(({ instance: { events } }, n) => `job ${n}:\n${tail(events).join("\n")}`).join("\n");
  }
}

function tail(events: readonly JobEvent[]): string[] {
  const shown = events.filter(({ type }) => type !== "wrote").slice(-20);
  return shown.map((event) => `  ${JSON.stringify(event)}`);
}

function asJob(instance: Instance): Job {
  const eventsOf = <T extends JobEvent["type"]>(type: T): EventOf<T>[] =>
    instance.events.filter((event): event is EventOf<T> => event.type === type);
  return {
    ...instance,
    eventsOf,
    get calls() {
      return eventsOf("call").map(({ handler }) => handler);
    },
    logged: async (text, times = 1) => {
      const lines = (): number => eventsOf("log").filter(({ line }) => line.includes(text)).length;
      await eventually(`"${text}" in the log`, () => lines() >= times);
    },
    called: (handler, times = 1) =>
      eventually(`${handler}`, () => eventsOf("call").filter((call) => call.handler === handler)[times - 1]),
    ready: async () => (await eventually("the acknowledgement", () => eventsOf("ready")[0])).role,
  };
}
