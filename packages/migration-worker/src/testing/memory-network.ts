import type { Clock } from "../clock.js";
import { serveConnection, type ConnectionOwner, type JobConnection } from "../job-connection.js";
import type { JobSocketServer, JobSocketServerOptions } from "../job-socket-server.js";
import { CLOSE_CODE } from "@changeover/migration-protocol";
import { JobWebSocket, type SocketLine, type TestWebSocket } from "./job-web-socket.js";
import type { Life } from "./life.js";
import type { Carry } from "./lane.js";
import { Link, type Examine } from "./link.js";
import { MemoryServerSocket } from "./memory-server-socket.js";

/**
 * Decides when something arrives, by calling `run`: with it a scheduler of a property-based test can try every order.
 * What is under way in one direction of one connection is passed in one after the other, for that order is given.
 */
export type Deliver = (run: () => void, description: string) => void;

export interface MemoryNetworkOptions {
  readonly clock: Clock;
  /** How long anything takes from one end to the other. */
  readonly latencyMs: number;
  readonly deliver: Deliver | undefined;
}

type Accept = (job: JobWebSocket, examine: Examine) => Link;

/** The one network that jobs and worker share. */
export class MemoryNetwork {
  readonly #options: MemoryNetworkOptions;
  readonly #links = new Set<Link>();
  #accept: Accept | undefined;

  constructor(options: MemoryNetworkOptions) {
    this.#options = options;
  }

  /** Breaks every connection. */
  cut(why: string): void {
    for (const link of this.#links) link.break(why);
  }

  /** Every connection goes silent without an end. */
  stall(): void {
    for (const link of this.#links) link.stall();
  }

  /** Listens for a worker until that one's end. */
  listenFor(life: Life) {
    return async <Instance>(
      { maxFrameBytes, clock, random, port }: JobSocketServerOptions,
      owner: ConnectionOwner<Instance>,
    ): Promise<JobSocketServer> => {
      const connections = new Set<JobConnection>();
      const accept: Accept = (job, examine) => {
        const socket = new MemoryServerSocket(maxFrameBytes);
        const { carry } = this;
        const after = this.#options.clock.setTimer;
        const link = new Link({
          ends: {
            job,
            worker: {
              received: (text) => socket.received(text),
              ended: (code, reason) => {
                forget();
                this.#links.delete(link);
                connections.delete(connection);
                socket.ended(code, reason);
              },
            },
          },
          now: this.#options.clock.now,
          carry,
          examine,
          after: (delayMs, run) => void after(run, delayMs),
        });
        this.#links.add(link);
        const forget = life.atEnd(() => {
          this.#links.delete(link);
          link.died("worker");
        });
        socket.attach(link);
        const settings = { clock, random, maxFrameBytes, address: "memory", onIdentified: () => {} };
        const connection = serveConnection(socket, owner, settings);
        connections.add(connection);
        return link;
      };
      const close = (): void => {
        if (this.#accept === accept) this.#accept = undefined;
      };
      this.#accept = accept;
      life.atEnd(close);
      return {
        port,
        close: async () => {
          close();
          for (const connection of connections) connection.close(CLOSE_CODE.workerRestarting, "the worker restarts");
        },
      };
    };
  }

  /** The `WebSocket` of one instance. */
  webSocketFor(life: Life, examine: Examine): new (url: string) => TestWebSocket {
    const connect = (socket: JobWebSocket): void => this.#connect(socket, life, examine);
    return class extends JobWebSocket {
      constructor(url: string) {
        super();
        // As a real one does, it throws for what is no URL.
        void new URL(url);
        connect(this);
      }
    };
  }

  #connect(socket: JobWebSocket, life: Life, examine: Examine): void {
    if (life.isOver) return;
    const attempt = (): void => {
      if (life.isOver || socket.isAbandoned) return;
      if (!this.#accept) return socket.refused("connect ECONNREFUSED");
      const link = this.#accept(socket, examine);
      life.atEnd(() => link.died("job"));
      const line: SocketLine = {
        send: (text) => {
          if (!life.isOver) link.send("job", text);
        },
        close: (code, reason) => link.close("job", code, reason),
        terminate: () => link.terminate("job"),
      };
      return socket.opened(line);
    };
    this.carry(attempt, { description: "an instance connects", sentAt: this.#options.clock.now(), delayMs: 0 });
  }

  readonly carry: Carry = (run, { description, sentAt, delayMs }) => {
    const { clock, latencyMs, deliver } = this.#options;
    if (!deliver) clock.setTimer(run, sentAt + latencyMs + delayMs - clock.now());
    else if (delayMs > 0) clock.setTimer(() => deliver(run, description), delayMs);
    else deliver(run, description);
  };
}
