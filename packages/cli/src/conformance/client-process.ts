import { spawn, type ChildProcess } from "node:child_process";

/** How long a client may take to end after SIGTERM. */
const stopTimeoutMs = 1_000;
const maxOutputLength = 64 * 1024;
const isWindows = process.platform === "win32";

/** The program under test. */
export class ClientProcess {
  /** Resolves with how it ended. */
  readonly gone: Promise<string>;
  readonly #child: ChildProcess;
  #output = "";
  #hasEnded = false;

  constructor([file = "", ...args]: readonly string[], env: Readonly<Record<string, string>>) {
    // A group of its own, so that what the command starts in turn, as `npm run` does, can be ended with it. Its standard
    // input ends when this process does.
    this.#child = spawn(file, args, { env: { ...process.env, ...env }, detached: !isWindows, stdio: "pipe" });
    this.#child.stdin?.on("error", () => {});
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-maxOutputLength);
      });
    }
    this.gone = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#hasEnded = true;
        resolve(how);
      };
      this.#child.once("error", ({ message }) => end(`could not be started: ${message}`));
      // Not `close`: what it has started may hold its output open.
      this.#child.once("exit", (code, signal) => end(signal ? `was killed by ${signal}` : `exited with code ${code}`));
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The last of what it wrote to its standard output and error. */
  get output(): string {
    return this.#output;
  }

  /** Ends it, and all that it has started. */
  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      this.#signal("SIGTERM");
      const timer = setTimeout(() => this.#signal("SIGKILL"), stopTimeoutMs);
      await this.gone;
      clearTimeout(timer);
    }
    this.#signal("SIGKILL");
    // Whatever has left the group may hold them open.
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (isWindows) this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // Nobody is left.
    }
  }
}
