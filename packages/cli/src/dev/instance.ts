import type { Placement } from "@changeover/migration-worker";
import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { isHousekeeping, readFrame, type Frame } from "./frame.js";
import type { Guardian } from "./guardian.js";
import { startJobProcess, type Command, type JobProcess } from "./job-process.js";
import { startRelay, type Relay } from "./relay.js";

/** What was said, and when. */
interface Said {
  readonly type: string;
  readonly atMs: number;
}

export interface InstanceOptions {
  name: string;
  command: Command;
  /** The environment of the job socket. */
  env: Record<string, string>;
  guardian: Guardian;
  onLine(instance: Instance, line: string): void;
  /** Hears what the job reports, before the worker does. */
  onReport(instance: Instance, report: Frame): void;
}

/** A running copy of the command, with a relay between it and the worker. */
export class Instance implements Placement {
  readonly name: string;
  /** What the worker asked of it last. */
  told: Said | undefined;
  /** What it reported last. */
  reported: Said | undefined;
  hasConnected = false;
  /** How it ended. */
  end: string | undefined;
  #isRemoved = false;
  #relay: Relay | undefined;
  #process: JobProcess | undefined;

  private constructor(name: string) {
    this.name = name;
  }

  static async start({ name, command, env, guardian, onLine, onReport }: InstanceOptions): Promise<Instance> {
    const instance = new Instance(name);
    const relay = await startRelay(env[JOB_SOCKET_ENV.url] ?? "", (from, text) => {
      const frame = readFrame(text);
      if (!frame) return;
      if (frame.type === "hello-ack") instance.hasConnected = true;
      if (isHousekeeping(frame)) return;
      const said = { type: frame.type, atMs: performance.now() };
      if (from === "worker") instance.told = said;
      else onReport(instance, ((instance.reported = said), frame));
    });
    instance.#relay = relay;
    try {
      instance.#process = await startJobProcess({
        command,
        env: { ...withoutJobSocket(process.env), ...env, [JOB_SOCKET_ENV.url]: relay.url },
        guardian,
        onLine: (line) => onLine(instance, line),
      });
    } catch (error) {
      relay.close();
      throw error;
    }
    void instance.gone
      .then(({ reason }) => (instance.end = instance.#isRemoved ? "was removed" : reason))
      .finally(() => relay.close());
    return instance;
  }

  get pid(): number {
    return this.#started.pid;
  }

  get gone(): Promise<{ reason: string }> {
    return this.#started.gone;
  }

  get lastWords(): string {
    return this.#started.lastWords;
  }

  get isConnected(): boolean {
    return this.hasConnected && (this.#relay?.connections ?? 0) > 0;
  }

  remove(): Promise<void> {
    this.#isRemoved = true;
    return this.#started.remove();
  }

  /** Cuts its connection to the worker. */
  cut(): void {
    this.#relay?.cut();
  }

  get #started(): JobProcess {
    if (!this.#process) throw new Error(`${this.name} has not been started`);
    return this.#process;
  }
}

/** Whoever runs under a worker himself must not hand his own job socket down. */
function withoutJobSocket(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names: readonly string[] = Object.values(JOB_SOCKET_ENV);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
