import { onTestFinished } from "vitest";
import {
  connectHandover,
  type HandoverClient,
  type HandoverEvent,
  type HandoverJob,
  type HandoverOptions,
} from "../src/index.js";
import { FakeWebSocket } from "./fake-web-socket.js";
import { ENV } from "./harness.js";
import { SleepyClock } from "./sleepy-clock.js";

export interface DeclaredJob {
  readonly client: HandoverClient;
  readonly clock: SleepyClock;
  readonly sockets: FakeWebSocket[];
  readonly socket: FakeWebSocket;
  readonly events: HandoverEvent[];
  readonly lines: string[];
}

/** A job whose methods do nothing, but for those that a test gives. */
export function jobOf(methods: Partial<HandoverJob<unknown, unknown>> = {}): HandoverJob<unknown, unknown> {
  return { getState: () => 1, stopAt: () => 2, resume() {}, adopt: () => 3, takeOver() {}, ...methods };
}

/** Connects a job through fake sockets and a clock that stands still; not yet acknowledged. */
export function declared<State, Position>(
  job: HandoverJob<State, Position>,
  options: HandoverOptions<State, Position> & { readonly env?: Record<string, string> } = {},
): DeclaredJob {
  const { env, ...opts } = options;
  const clock = new SleepyClock();
  const sockets: FakeWebSocket[] = [];
  const lines: string[] = [];
  const events: HandoverEvent[] = [];
  class Socket extends FakeWebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const log = (line: string): void => void lines.push(line);
  const client = connectHandover(
    job,
    { ...ENV, ...env },
    { WebSocket: Socket, clock, random: () => 0.5, log, ...opts },
  );
  client.subscribe((event) => events.push(event));
  onTestFinished(() => void client.close());
  return {
    client,
    clock,
    sockets,
    events,
    lines,
    get socket() {
      const socket = sockets.at(-1);
      if (!socket) throw new Error("the client has opened no socket");
      return socket;
    },
  };
}

/** As `declared`, acknowledged by a worker of version 2: as a source, or as the target of a migration. */
export function declaredV2<State, Position>(
  job: HandoverJob<State, Position>,
  { target, ...options }: HandoverOptions<State, Position> & { readonly target?: string } = {},
): DeclaredJob {
  const connected = declared(job, options);
  connected.socket.acknowledgeV2(target);
  return connected;
}
