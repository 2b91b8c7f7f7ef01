import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** What has arrived, checked number by number. */
export interface Tally {
  received: number;
  /** Numbers that were passed over. */
  lost: number;
  /** Numbers that had arrived before. */
  doubled: number;
  /** Numbers whose hash does not follow from all that came before. */
  broken: number;
}

interface Hold {
  isHeld: () => void;
  released: Promise<void>;
}

/** Milliseconds since the Unix epoch, with fractions: the same in every thread. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Receives the ticks of one job over TCP. Greets each connection with the number that it expects next, checks that
 * every number arrives once, in order and with its hash chain intact, and keeps the times of arrival.
 */
export class Collector {
  readonly #tally: Tally = { received: 0, lost: 0, doubled: 0, broken: 0 };
  #heldConnection: Hold | undefined;
  #heldEnd: Hold | undefined;
  #release: (() => void) | undefined;
  #next = 0;
  #hash = "";
  readonly #arrivals: number[] = [];
  readonly #waiting: { until: number; resolve: () => void }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  }

  static async listen(host: string): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, host);
    await once(collector.#server, "listening");
    return collector;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  tally(): Tally {
    return { ...this.#tally };
  }

  /** Resolves when this many more ticks have arrived. */
  arrivals(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ until: this.#tally.received + count, resolve }));
  }

  /** The longest time between two arrivals since `sinceMs` of {@link epochMs}, the one before that included. */
  longestIntervalMs(sinceMs: number): number {
    const since = this.#arrivals.findIndex((at) => at >= sinceMs);
    let longest = 0;
    for (let i = Math.max(1, since); i < this.#arrivals.length; i++) {
      longest = Math.max(longest, (this.#arrivals[i] ?? 0) - (this.#arrivals[i - 1] ?? 0));
    }
    return longest;
  }

  /** Resolves when the next connection has been made; it is greeted only after `release`. */
  holdNextConnection(): Promise<void> {
    return new Promise((isHeld) => {
      this.#heldConnection = this.#hold(isHeld);
    });
  }

  /** Resolves when the next connection has been ended by its job; what the job waits for then comes after `release`. */
  holdNextEnd(): Promise<void> {
    return new Promise((isHeld) => {
      this.#heldEnd = this.#hold(isHeld);
    });
  }

  release(): void {
    this.#release?.();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => this.#receive(line));
    // A job that is killed resets its connection, and what reads its lines passes that on.
    for (const emitter of [socket, lines]) emitter.on("error", () => {});
    socket.on("end", async () => {
      const hold = this.#heldEnd;
      this.#heldEnd = undefined;
      hold?.isHeld();
      await hold?.released;
      socket.end();
    });
    const hold = this.#heldConnection;
    this.#heldConnection = undefined;
    hold?.isHeld();
    await hold?.released;
    socket.write(`${this.#next}\n`);
  }

  #hold(isHeld: () => void): Hold {
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    return { isHeld, released };
  }

  #receive(line: string): void {
    const [number, hash = ""] = line.split(" ");
    const n = Number(number);
    this.#tally.received++;
    this.#arrivals.push(epochMs());
    if (n < this.#next) {
      this.#tally.doubled++;
    } else {
      this.#tally.lost += n - this.#next;
      const follows = createHash("sha256").update(`${this.#hash}${n}`).digest("hex");
      if (n === this.#next && hash !== follows) this.#tally.broken++;
      this.#next = n + 1;
      this.#hash = hash;
    }
    const due = this.#waiting.filter(({ until }) => until <= this.#tally.received);
    for (const waiting of due) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}
