import { LIMITS } from "@changeover/migration-protocol";
import { expect, test, vi } from "vitest";
import { connected, turn } from "../test/harness.js";
import type { MigrationClient } from "./migration-client.js";
import type { MigrationHandlers } from "./migration-handlers.js";
import { stateRefusal } from "./state-refusal.js";

const GET_STATE = { type: "get-state", migrationId: "m-1" } as const;

/** Asks a job with these handlers for its state. */
async function ask(handlers: (client: () => MigrationClient) => MigrationHandlers) {
  const harness = connected(handlers(() => harness.client));
  harness.socket.fireFrame(GET_STATE);
  await turn();
  return harness;
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const large = "x".repeat(LIMITS.maxFrameBytes);

test.each<[string, MigrationHandlers["onGetState"], unknown]>([
  ["a value", () => ({ position: 7 }), { type: "state", payload: { position: 7 } }],
  ["a promise of a value", async () => [7], { type: "state", payload: [7] }],
  ["undefined", () => undefined, { type: "state", payload: null }],
  ["null", () => null, { type: "state", payload: null }],
  ["false", () => false, { type: "state", payload: false }],
  ["a refusal", () => stateRefusal("a match is on"), { type: "state-refused", reason: "a match is on" }],
  ["a promise of a refusal", async () => stateRefusal("later"), { type: "state-refused", reason: "later" }],
  [
    "an exception",
    () => {
      throw new Error("no disk");
    },
    { type: "state-refused", reason: "onGetState failed: no disk" },
  ],
  [
    "a rejection that is no error",
    () => Promise.reject<unknown>("no disk"),
    { type: "state-refused", reason: "onGetState failed: no disk" },
  ],
  [
    "an exception that is nothing",
    () => Promise.reject<unknown>(undefined),
    { type: "state-refused", reason: "onGetState failed: no reason was given" },
  ],
  ["a BigInt", () => ({ n: 1n }), { type: "state-refused", reason: expect.stringMatching(/cannot be sent as JSON/) }],
  ["a cycle", () => cyclic, { type: "state-refused", reason: expect.stringMatching(/cannot be sent as JSON/) }],
  ["a function", () => () => 1, { type: "state-refused", reason: expect.stringMatching(/function/) }],
  [
    "a toJSON that throws",
    () => ({
      toJSON: () => {
        throw new Error("not now");
      },
    }),
    { type: "state-refused", reason: expect.stringMatching(/not now/) },
  ],
  [
    "a state that is too large",
    () => large,
    { type: "state-refused", reason: expect.stringMatching(/8388\d\d\d bytes/) },
  ],
  ["no handler", undefined, { type: "state-refused", reason: "this job has no onGetState handler" }],
])("%s is exactly one answer", async (_, onGetState, answer) => {
  const { socket, clock } = await ask(() => (onGetState ? { onGetState } : {}));
  expect(socket.answers).toEqual([answer]);
  await clock.advance(60_000);
  expect(socket.answers).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test("a state that just fits is sent, and one of few characters but many bytes is refused", async () => {
  const envelope = '{"type":"state","payload":""}'.length;
  const fits = await ask(() => ({ onGetState: () => "x".repeat(LIMITS.maxFrameBytes - envelope) }));
  expect(fits.socket.answers[0]?.type).toBe("state");
  const wide = await ask(() => ({ onGetState: () => "€".repeat(LIMITS.maxFrameBytes / 3) }));
  expect(wide.socket.answers[0]?.type).toBe("state-refused");
});

test("reportState inside the handler is the answer, and what the handler then returns or throws is not", async () => {
  const returning = await ask((client) => ({
    onGetState() {
      client().reportState("reported");
      client().reportState("again");
      return "returned";
    },
  }));
  expect(returning.socket.answers).toEqual([{ type: "state", payload: "reported" }]);
  const throwing = await ask((client) => ({
    async onGetState() {
      await turn();
      client().refuseState("not today");
      throw new Error("and a failure");
    },
  }));
  await turn();
  expect(throwing.socket.answers).toEqual([{ type: "state-refused", reason: "not today" }]);
  expect(throwing.lines.at(-1)).toBe("job-7: onGetState failed: and a failure");
});

test("reportState with a payload that cannot be sent refuses and throws, whatever the handler makes of it", async () => {
  const errors: unknown[] = [];
  const { socket } = await ask((client) => ({
    onGetState() {
      try {
        client().reportState(10n);
      } catch (error) {
        errors.push(error);
      }
    },
  }));
  expect(errors).toEqual([expect.objectContaining({ code: "unserialisable-payload" })]);
  expect(socket.answers).toEqual([{ type: "state-refused", reason: expect.stringMatching(/^reportState: .*JSON/) }]);
});

test("reportState after the handler has returned undefined is too late, and the log says why", async () => {
  const { client, socket, lines } = await ask(() => ({ onGetState: () => {} }));
  client.reportState("late");
  client.refuseState("late");
  expect(socket.answers).toEqual([{ type: "state", payload: null }]);
  expect(lines.at(-2)).toMatch(/reportState dropped: .*what onGetState returns/);
  expect(lines.at(-1)).toMatch(/refuseState dropped/);
});

test("reportState that nobody asked for is dropped, whatever the payload", () => {
  const { client, socket, lines } = connected({});
  client.reportState(10n);
  expect(socket.answers).toEqual([]);
  expect(lines.at(-1)).toMatch(/reportState dropped/);
});

test("a handler that takes too long is a refusal, its signal fires, and its later result is ignored", async () => {
  let finish: (value: string) => void = () => {};
  const signals: AbortSignal[] = [];
  const { socket, clock, lines } = await ask(() => ({
    onGetState(_, { signal }) {
      signals.push(signal);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  }));
  await clock.advance(8_999);
  expect(socket.answers).toEqual([]);
  await clock.advance(1);
  expect(socket.answers).toEqual([{ type: "state-refused", reason: "onGetState did not settle within 9000 ms" }]);
  expect(signals[0]?.reason).toMatchObject({ code: "timed-out" });
  finish("late");
  await turn();
  expect(socket.answers).toHaveLength(1);
  expect(lines.at(-1)).toMatch(/did not settle within 9000 ms/);
  expect(clock.pending).toBe(0);
});

test("a handler that ignores its signal holds the next question up for a second at most", async () => {
  let calls = 0;
  const { socket, clock } = connected(
    {
      onGetState: () => {
        calls += 1;
        return calls === 1 ? new Promise(() => {}) : calls;
      },
    },
    { getStateTimeoutMs: 100 },
  );
  socket.fireFrame(GET_STATE);
  await clock.advance(100);
  socket.fireFrame({ type: "get-state", migrationId: "m-2" });
  await clock.advance(99);
  expect(calls).toBe(1);
  await clock.advance(1);
  expect(socket.answers).toEqual([
    { type: "state-refused", reason: "onGetState did not settle within 100 ms" },
    { type: "state-refused", reason: "the job was busy with onGetState for 100 ms" },
  ]);
  await clock.advance(800);
  socket.fireFrame({ type: "get-state", migrationId: "m-3" });
  await clock.advance(100);
  expect(socket.answers.at(-1)).toEqual({ type: "state", payload: 2 });
});

test("get-state is answered every time, also for the same migration", async () => {
  const onGetState = vi.fn<() => number>().mockReturnValueOnce(1).mockReturnValueOnce(2);
  const { socket } = connected({ onGetState });
  socket.fireFrame(GET_STATE, GET_STATE);
  await turn();
  expect(socket.answers).toEqual([
    { type: "state", payload: 1 },
    { type: "state", payload: 2 },
  ]);
});

test("the answer of a handler that began before a reconnect is not sent; the worker asks again", async () => {
  const finish: ((value: string) => void)[] = [];
  const signals: AbortSignal[] = [];
  const { client, socket, reconnect } = connected({
    onGetState(_, { signal }) {
      signals.push(signal);
      return new Promise((resolve) => finish.push(resolve));
    },
  });
  socket.fireFrame(GET_STATE);
  const next = await reconnect();
  expect(signals[0]?.reason).toMatchObject({ code: "disconnected" });
  client.reportState("reported late");
  finish[0]?.("first");
  await turn();
  expect(next.answers).toEqual([]);
  next.fireFrame(GET_STATE);
  await turn();
  finish[1]?.("second");
  await turn();
  expect(socket.answers).toEqual([]);
  expect(next.answers).toEqual([{ type: "state", payload: "second" }]);
});

test("a question that was still waiting when its connection went is not put to the handler", async () => {
  let finish: (value: string) => void = () => {};
  const onGetState = vi.fn<() => Promise<string>>(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const { socket, clock } = connected({ onGetState });
  socket.fireFrame(GET_STATE, GET_STATE);
  socket.fireClose(1006);
  finish("first");
  await turn();
  expect(onGetState).toHaveBeenCalledTimes(1);
  expect(clock.delays).toEqual([500]);
});

test("get-state makes an instance the source of that migration, until it refuses", async () => {
  const { client, socket } = connected(
    { onGetState: (id) => (id === "m-2" ? 1 : stateRefusal("no")) },
    { target: "m-1" },
  );
  socket.fireFrame({ type: "get-state", migrationId: "m-2" });
  expect(client).toMatchObject({ role: "source", migrationId: "m-2" });
  await turn();
  expect(client.migrationId).toBe("m-2");
  socket.fireFrame({ type: "get-state", migrationId: "m-3" });
  await turn();
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
});

test("abort while a get-state waits is its answer", async () => {
  const { client, socket, clock } = await ask(() => ({ onGetState: () => new Promise(() => {}) }));
  client.abort("shutting down");
  expect(socket.answers).toEqual([{ type: "state-refused", reason: "shutting down" }]);
  expect(client.migrationId).toBeUndefined();
  expect(clock.pending).toBe(0);
});

test("handlers are called with their object as this", async () => {
  class Job implements MigrationHandlers {
    position = 42;
    onGetState(): unknown {
      return this.position;
    }
  }
  const { socket } = await ask(() => new Job());
  expect(socket.answers).toEqual([{ type: "state", payload: 42 }]);
});

test("close withdraws the question, fires the signal and leaves no timer", async () => {
  const signals: AbortSignal[] = [];
  const { client, socket, clock } = await ask(() => ({
    onGetState(_, { signal }) {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  }));
  client.close();
  await turn();
  expect(signals[0]?.reason).toMatchObject({ code: "closed" });
  expect(socket.answers).toEqual([]);
  socket.fireClose(1000);
  expect(clock.pending).toBe(0);
});

test("close leaves no timer of a handler that ignores its signal", async () => {
  const { client, socket, clock } = await ask(() => ({ onGetState: () => new Promise(() => {}) }));
  expect(clock.pending).toBe(1);
  client.close();
  socket.fireClose(1000);
  expect(clock.pending).toBe(0);
});

test("a question that was refused while it waited is not put to the handler", async () => {
  let finish: () => void = () => {};
  const onGetState = vi.fn<() => number>();
  const { client, socket } = connected(
    {
      onGetState,
      onCutoverApply: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    },
    { target: "m-0" },
  );
  socket.fireFrame({ type: "cutover-apply", migrationId: "m-0", payload: null }, GET_STATE);
  client.abort("shutting down");
  finish();
  await turn();
  expect(onGetState).not.toHaveBeenCalled();
  expect(socket.answers).toEqual([{ type: "state-refused", reason: "shutting down" }]);
});

test("what is returned after reportState is not even looked at", async () => {
  const { lines, socket } = await ask((client) => ({
    onGetState() {
      client().reportState(1);
      return 1n;
    },
  }));
  expect(socket.answers).toEqual([{ type: "state", payload: 1 }]);
  expect(lines.at(-1)).toBe("job-7: connected as source");
});

/** A source whose question about m-1 has been left to itself: `onGetState` does not settle. */
async function leftToItself(onSignal: (client: MigrationClient) => void = () => {}) {
  const aborts: string[] = [];
  const harness = await ask((client) => ({
    onGetState: (_id, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => onSignal(client()));
      }),
    onAbort: (_reason, id) => void aborts.push(id),
  }));
  harness.socket.fireFrame({ type: "abort", migrationId: "m-0", reason: "over" });
  await harness.clock.advance(1_000);
  expect(aborts).toEqual(["m-0"]);
  return { ...harness, aborts };
}

test("a question whose handler was left to itself is still answered once, by the job or by the clock", async () => {
  const answering = await leftToItself();
  answering.client.reportState("late, but asked for");
  await answering.clock.advance(60_000);
  expect(answering.socket.answers).toEqual([{ type: "state", payload: "late, but asked for" }]);
  const silent = await leftToItself();
  await silent.clock.advance(60_000);
  expect(silent.socket.answers).toEqual([
    { type: "state-refused", reason: "onGetState did not settle within 9000 ms" },
  ]);
});

test("an abort reaches a handler that was left to itself, and one that then closes the client hears no more", async () => {
  const signals: string[] = [];
  const { socket, aborts } = await leftToItself((client) => {
    signals.push("fired");
    client.close();
  });
  socket.fireFrame({ type: "abort", migrationId: "m-1", reason: "over" });
  await turn();
  expect(signals).toEqual(["fired"]);
  expect(aborts).toEqual(["m-0"]);
  expect(socket.answers).toEqual([]);
});

test("reportState and refuseState after the time-out are too late", async () => {
  const { client, socket, clock, lines } = await ask(() => ({ onGetState: () => new Promise(() => {}) }));
  await clock.advance(9_000);
  client.reportState("late");
  client.refuseState("late");
  expect(socket.answers).toHaveLength(1);
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(/reportState dropped: no get-state waits/),
    expect.stringMatching(/refuseState dropped: no get-state waits/),
  ]);
});
