import { describe, expect, expectTypeOf, test } from "vitest";
import { declared, declaredV2, jobOf } from "../test/declared-job.js";
import { turn } from "../test/harness.js";
import { connectHandover } from "./connect-handover.js";
import type { HandoverJob } from "./handover-job.js";
import type { HandlerContext } from "./migration-handlers.js";
import { refuse } from "./state-refusal.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 7 } as const;
const INITIAL_STATE = { type: "initial-state", migrationId: "m-1", epoch: 8, payload: { n: 1 } } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 8, payload: 2 } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", epoch: 8, payload: 3 } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 9, reason: "the target died" } as const;
const COMMITTED = { type: "committed", migrationId: "m-1", epoch: 8 } as const;

/** A promise that a test settles. */
function gate<T>(): { readonly promise: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open: (value) => open(value) };
}

describe("what a method returns is the report", () => {
  test("a source hands its state over, and says where it has stopped", async () => {
    const { socket } = declaredV2(jobOf({ getState: async () => ({ n: 5 }), stopAt: async (at) => ({ at }) }));
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(CUTOVER_READY);
    await turn();
    expect(socket.answersV2).toEqual([
      { type: "state", migrationId: "m-1", seq: 1, payload: { n: 5 } },
      { type: "source-stopped-output", migrationId: "m-1", seq: 2, payload: { at: 2 } },
    ]);
  });

  test("a target says from where it can go on, and that it has taken over when the promise has settled", async () => {
    const taken = gate<void>();
    const { socket, client } = declaredV2(
      jobOf({ adopt: async (state) => ({ from: state }), takeOver: () => taken.promise }),
      { target: "m-1" },
    );
    socket.fireFrame(INITIAL_STATE);
    await turn();
    socket.fireFrame(CUTOVER_APPLY);
    await turn();
    expect(socket.answersV2).toEqual([
      { type: "target-ready", migrationId: "m-1", seq: 1, payload: { from: { n: 1 } } },
    ]);
    taken.open();
    await turn();
    expect(socket.answersV2.at(-1)).toEqual({ type: "target-applied", migrationId: "m-1", seq: 2 });
    expect(client.role).toBe("target");
    socket.fireFrame(COMMITTED);
    await turn();
    expect(client.role).toBe("source");
  });

  test("to a worker of version 1 too", async () => {
    const { socket } = declared(jobOf());
    socket.acknowledge();
    socket.fireFrame({ type: "get-state", migrationId: "m-1" });
    await turn();
    socket.fireFrame({ type: "cutover-ready", migrationId: "m-1", payload: 9 });
    await turn();
    expect(socket.answers).toEqual([
      { type: "state", payload: 1 },
      { type: "source-stopped-output", payload: 2 },
    ]);
  });

  test("no state is a refusal under a worker of version 1, whose target would wait for one in vain", async () => {
    const { socket } = declared(jobOf({ getState: () => null }));
    socket.acknowledge();
    socket.fireFrame({ type: "get-state", migrationId: "m-1" });
    await turn();
    const reason = "a worker of version 1 cannot tell the target that there is no state: return {}";
    expect(socket.answers).toEqual([{ type: "state-refused", reason }]);
  });

  test("null is an answer as any other", async () => {
    const { socket } = declaredV2(jobOf({ getState: () => null, stopAt: () => null }));
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(CUTOVER_READY);
    await turn();
    expect(socket.answersV2.map((frame) => "payload" in frame && frame.payload)).toEqual([null, null]);
  });

  test.each([
    ["getState", undefined, GET_STATE, jobOf({ getState: () => undefined }), "state", "state-refused"],
    ["adopt", "m-1", INITIAL_STATE, jobOf({ adopt: () => undefined }), "position", "abort"],
    ["stopAt", undefined, CUTOVER_READY, jobOf({ stopAt: () => undefined }), "position", "abort"],
  ])("a forgotten return in %s ends the handover and says so", async (name, target, command, job, what, type) => {
    const { socket } = declaredV2(job, target === undefined ? {} : { target });
    socket.fireFrame(command);
    await turn();
    const reason = `${name} failed: it returned nothing: return the ${what}, or null`;
    expect(socket.answersV2).toEqual([{ type, migrationId: "m-1", seq: 1, reason }]);
  });

  test("what is called off as it arrives is never called", async () => {
    const calls: string[] = [];
    const { socket } = declaredV2(jobOf({ stopAt: () => calls.push("stopAt"), resume: () => calls.push("resume") }));
    socket.fireFrame(CUTOVER_READY, ABORT);
    await turn();
    expect(calls).toEqual([]);
  });

  test("a target to which nothing was handed over adopts null", async () => {
    const adopted: unknown[] = [];
    const { socket } = declaredV2(jobOf({ adopt: (state) => adopted.push(state) }), { target: "m-1" });
    socket.fireFrame({ ...INITIAL_STATE, payload: null });
    await turn();
    expect(adopted).toEqual([null]);
    expect(socket.answersV2).toEqual([{ type: "target-ready", migrationId: "m-1", seq: 1, payload: 1 }]);
  });

  test("a refusal is a no with its reason", async () => {
    const { socket } = declaredV2(jobOf({ getState: () => refuse("a match is being played") }));
    socket.fireFrame(GET_STATE);
    await turn();
    expect(socket.answersV2).toEqual([
      { type: "state-refused", migrationId: "m-1", seq: 1, reason: "a match is being played" },
    ]);
  });

  test("methods are called with the job as `this`", async () => {
    class Counter implements HandoverJob<number, number> {
      n = 41;
      getState(): number {
        return ++this.n;
      }
      stopAt(): number {
        return this.n;
      }
      resume(): void {}
      adopt(state: number): number {
        return (this.n = state);
      }
      takeOver(): void {}
    }
    const { socket } = declaredV2(new Counter());
    socket.fireFrame(GET_STATE);
    await turn();
    expect(socket.answersV2).toMatchObject([{ type: "state", payload: 42 }]);
  });
});

describe("what a method throws ends the handover, named as the method is", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  test.each([
    ["getState throws", jobOf({ getState: boom }), /^getState failed: boom$/],
    ["getState rejects", jobOf({ getState: async () => boom() }), /^getState failed: boom$/],
    [
      "the state has a cycle",
      jobOf({ getState: () => cycle }),
      /^getState: the payload cannot be sent as JSON: .*circular/,
    ],
    ["the state is a BigInt", jobOf({ getState: () => 1n }), /^getState: the payload cannot be sent as JSON: /],
  ])("%s: a refusal", async (_, job, reason) => {
    const { socket } = declaredV2(job);
    socket.fireFrame(GET_STATE);
    await turn();
    const answer = { type: "state-refused", migrationId: "m-1", seq: 1, reason: expect.stringMatching(reason) };
    expect(socket.answersV2).toEqual([answer]);
  });

  test.each([
    ["stopAt", undefined, CUTOVER_READY, jobOf({ stopAt: boom })],
    ["adopt", "m-1", INITIAL_STATE, jobOf({ adopt: boom })],
    ["takeOver", "m-1", CUTOVER_APPLY, jobOf({ takeOver: boom })],
  ])("%s: an abort", async (name, target, command, job) => {
    const { socket } = declaredV2(job, target === undefined ? {} : { target });
    socket.fireFrame(command);
    await turn();
    expect(socket.answersV2).toEqual([{ type: "abort", migrationId: "m-1", seq: 1, reason: `${name} failed: boom` }]);
  });

  test("a state that is never ready is refused, and its signal fires", async () => {
    let seen: AbortSignal | undefined;
    const getState = ({ signal }: HandlerContext): Promise<never> => {
      seen = signal;
      return new Promise(() => {});
    };
    const { socket, clock } = declaredV2(jobOf({ getState }));
    socket.fireFrame(GET_STATE);
    await clock.advance(9_000);
    expect(socket.answersV2).toMatchObject([{ reason: "getState did not settle within 9000 ms" }]);
    expect(seen?.aborted).toBe(true);
  });
});

describe("resume", () => {
  const calls: unknown[] = [];
  const job = jobOf({
    stopAt: () => calls.push("stopAt"),
    resume: (reason, { epoch }) => calls.push(["resume", reason, epoch]),
    released: () => calls.push("released"),
  });

  test("is called when the output was stopped, and before a new handover may begin", async () => {
    calls.length = 0;
    const { socket, client } = declaredV2(job);
    expect(client.epoch).toBe(1);
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(CUTOVER_READY);
    await turn();
    expect(client.epoch).toBe(1);
    socket.fireFrame(ABORT);
    await turn();
    expect(calls).toEqual(["stopAt", ["resume", "the target died", 9]]);
    expect(client.epoch).toBe(9);
  });

  test("is not called when the output was never stopped", async () => {
    calls.length = 0;
    const { socket, events } = declaredV2(job);
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(ABORT);
    await turn();
    expect(calls).toEqual([]);
    expect(events.at(-1)).toEqual({ type: "aborted", migrationId: "m-1", reason: "the target died" });
  });

  test("is called when stopAt has failed, for the output may have stopped all the same", async () => {
    calls.length = 0;
    const fails = { ...job, stopAt: () => Promise.reject(new Error("half way")) };
    const { socket } = declaredV2(fails);
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(CUTOVER_READY);
    await turn();
    socket.fireFrame(ABORT);
    await turn();
    expect(calls).toEqual([["resume", "the target died", 9]]);
  });

  test("is not called in a target", async () => {
    calls.length = 0;
    const { socket } = declaredV2(job, { target: "m-1" });
    socket.fireFrame(INITIAL_STATE);
    await turn();
    socket.fireFrame(ABORT);
    await turn();
    expect(calls).toEqual([]);
  });
});

test("released is called in the source that has been replaced, and not in its target", async () => {
  const calls: string[] = [];
  const named = (name: string): HandoverJob<unknown, unknown> => jobOf({ released: () => calls.push(name) });
  const source = declaredV2(named("source"));
  source.socket.fireFrame(GET_STATE);
  await turn();
  source.socket.fireFrame(CUTOVER_READY);
  await turn();
  const target = declaredV2(named("target"), { target: "m-1" });
  target.socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  await turn();
  source.socket.fireFrame(COMMITTED);
  target.socket.fireFrame(COMMITTED);
  await turn();
  expect(calls).toEqual(["source"]);
  expect(target.client.epoch).toBe(8);
});

test("what a method returns after an abort is dropped, also in a later handover", async () => {
  const late = gate<string>();
  const { socket, clock } = declaredV2(jobOf({ stopAt: () => late.promise }));
  socket.fireFrame(GET_STATE);
  await turn();
  socket.fireFrame(CUTOVER_READY);
  await turn();
  socket.fireFrame(ABORT);
  await clock.advance(1_000);
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2", epoch: 9 }, { ...CUTOVER_READY, migrationId: "m-2", epoch: 10 });
  await turn();
  late.open("of m-1");
  await turn();
  const reports = socket.answersV2.map((frame) => ("migrationId" in frame ? [frame.type, frame.migrationId] : []));
  // The late promise is that of both handovers: the second of them reports it, once.
  expect(reports).toEqual([
    ["state", "m-1"],
    ["state", "m-2"],
    ["source-stopped-output", "m-2"],
  ]);
});

describe("events", () => {
  test("tell what happens in order, the first attempt included", async () => {
    const { client, socket, sockets, events, clock } = declared(jobOf());
    const url = "ws://worker.test:4000/jobs";
    socket.acknowledgeV2();
    socket.fireFrame(GET_STATE);
    await turn();
    socket.fireFrame(CUTOVER_READY);
    await turn();
    socket.fireFrame(COMMITTED);
    await turn();
    socket.fireClose(1012, "restarting");
    await clock.advance(500);
    sockets.at(-1)?.acknowledge();
    void client.close();
    await turn();
    expect(events).toEqual([
      { type: "connecting", url },
      { type: "connected", role: "source", protocol: 2, epoch: 1 },
      { type: "phase", phase: "propose", migrationId: "m-1" },
      { type: "phase", phase: "stop", migrationId: "m-1" },
      { type: "phase", phase: "commit", migrationId: "m-1" },
      { type: "reconnecting", afterMs: 500, reason: 'closed with 1012 ("restarting")' },
      { type: "connecting", url },
      { type: "connected", role: "source", protocol: 1, epoch: undefined },
      { type: "closed", reason: "the client was closed" },
    ]);
  });

  test("a listener that fails is logged and keeps nobody else from hearing; one that is removed hears no more", async () => {
    const { client, socket, events, lines } = declared(jobOf());
    client.subscribe(() => {
      throw new Error("a mistake");
    });
    const heard: string[] = [];
    const stop = client.subscribe(({ type }) => heard.push(type));
    await turn();
    stop();
    socket.acknowledgeV2();
    await turn();
    expect(heard).toEqual(["connecting"]);
    expect(events.map(({ type }) => type)).toEqual(["connecting", "connected"]);
    expect(lines).toContain("job-7: a listener failed: a mistake");
  });
});

describe("the end", () => {
  test("a signal closes the client as close() does", async () => {
    const controller = new AbortController();
    const { client, socket, clock } = declaredV2(jobOf(), { signal: controller.signal });
    controller.abort();
    expect(client.connected).toBe(false);
    expect(socket.closes).toEqual([1000]);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });

  test("a signal that has fired already lets nothing begin", async () => {
    const { client } = declared(jobOf(), { signal: AbortSignal.abort() });
    await expect(client.ready).rejects.toMatchObject({ code: "closed" });
  });

  test("`await using` closes it", async () => {
    const { client, socket } = declaredV2(jobOf());
    const ended = client[Symbol.asyncDispose]();
    socket.fireClose(1000);
    await ended;
    expect(socket.closes).toEqual([1000]);
  });
});

test("where there is no worker nothing happens, in every runtime alike", async () => {
  const client = connectHandover(jobOf(), {});
  expect([client.role, client.migrationId, client.epoch, client.connected]).toEqual([
    "none",
    undefined,
    undefined,
    false,
  ]);
  expect(await client.ready).toBe("none");
  client.subscribe(() => {})();
  client.abort("nothing to give up");
  await client.close();
  await client[Symbol.asyncDispose]();
});

test.each([
  ["no job", undefined, "job must be an object, and is undefined"],
  ["a job that cannot stop", { ...jobOf(), stopAt: undefined }, "job.stopAt must be a function, and is undefined"],
  ["a job that cannot resume", { ...jobOf(), resume: null }, "job.resume must be a function, and is undefined"],
  ["released as a text", { ...jobOf(), released: "yes" }, 'job.released must be a function, and is "yes"'],
])("%s is an error that names the method, without a worker too", (_, job, message) => {
  // @ts-expect-error: what a caller without types can do.
  expect(() => connectHandover(job, {})).toThrow(expect.objectContaining({ code: "invalid-option", message }));
});

test("a source that may resume on its own must be able to hear that it has lost", () => {
  const message = "with resumeAfterMs job.released must be a function, and is undefined";
  expect(() => connectHandover(jobOf(), {}, { resumeAfterMs: 1_000 })).toThrow(
    expect.objectContaining({ code: "invalid-option", message }),
  );
  expect(connectHandover(jobOf({ released() {} }), {}, { resumeAfterMs: 1_000 }).role).toBe("none");
});

test.each([
  [
    { schemas: { state: 5 } },
    "option schemas.state must be a Standard Schema, as zod, valibot and arktype make them, and is 5",
  ],
  [{ schema: {} }, "option schema must be left out: there is none of this name, and is an object"],
  [{ signal: "SIGTERM" }, 'option signal must be an AbortSignal, and is "SIGTERM"'],
])("an option that cannot work is an error: %o", (opts, message) => {
  // @ts-expect-error: what a caller without types can do.
  expect(() => connectHandover(jobOf(), {}, opts)).toThrow(
    expect.objectContaining({ code: "invalid-option", message }),
  );
});

test("state and position are inferred from what the methods return", () => {
  const client = connectHandover(
    {
      getState: () => ({ n: 1 }),
      stopAt: (position: number) => position,
      resume() {},
      adopt(state) {
        expectTypeOf(state).toEqualTypeOf<{ n: number }>();
        return state.n;
      },
      takeOver(position) {
        expectTypeOf(position).toEqualTypeOf<number>();
      },
    },
    {},
  );
  expect(client.role).toBe("none");
});
