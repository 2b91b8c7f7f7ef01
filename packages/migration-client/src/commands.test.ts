import { expect, test, vi } from "vitest";
import { connected, turn } from "../test/harness.js";
import type { MigrationHandlers } from "./migration-handlers.js";

const GET_STATE = { type: "get-state", migrationId: "m-1" } as const;
const INITIAL_STATE = { type: "initial-state", migrationId: "m-1", payload: { n: 1 } } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", payload: { n: 2 } } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", payload: { n: 3 } } as const;
const ABORT = { type: "abort", migrationId: "m-1", reason: "the target died" } as const;

/** Handlers that write down their calls. */
function recorder(calls: unknown[], extra: MigrationHandlers = {}): MigrationHandlers {
  return {
    onGetState: (id) => void calls.push(["onGetState", id]),
    onInitialState: (payload, id) => void calls.push(["onInitialState", payload, id]),
    onCutoverReady: (payload, id) => void calls.push(["onCutoverReady", payload, id]),
    onCutoverApply: (payload, id) => void calls.push(["onCutoverApply", payload, id]),
    onAbort: (reason, id) => void calls.push(["onAbort", reason, id]),
    ...extra,
  };
}

test("a source goes through its side of a handover", async () => {
  const calls: unknown[] = [];
  const { client, socket } = connected(
    recorder(calls, { onCutoverReady: () => client.reportStoppedOutput({ at: 9 }) }),
  );
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  expect(calls).toEqual([["onGetState", "m-1"]]);
  expect(socket.answers).toEqual([
    { type: "state", payload: null },
    { type: "source-stopped-output", payload: { at: 9 } },
  ]);
});

test("a target goes through its side of a handover", async () => {
  const { client, socket } = connected(
    {
      onInitialState: (state) => client.reportReady(state),
      onCutoverApply: () => client.reportApplied(),
    },
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  await turn();
  expect(socket.answers).toEqual([{ type: "target-ready", payload: { n: 1 } }, { type: "target-applied" }]);
  expect(client).toMatchObject({ role: "target", migrationId: "m-1" });
});

test("handlers run one at a time and in order, and the context is the last argument", async () => {
  const calls: unknown[] = [];
  let finish = (): void => {};
  const { socket } = connected(
    recorder(calls, {
      async onInitialState(...args) {
        calls.push(["began", ...args]);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        calls.push("ended");
      },
    }),
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  await turn();
  expect(calls).toEqual([["began", { n: 1 }, "m-1", { signal: expect.any(AbortSignal) }]]);
  finish();
  await turn();
  expect(calls.slice(1)).toEqual(["ended", ["onCutoverApply", { n: 3 }, "m-1"]]);
});

test("a command that comes again is ignored, also on another connection, and the log says so", async () => {
  const calls: unknown[] = [];
  const { socket, reconnect, lines } = connected(recorder(calls), { target: "m-1" });
  socket.fireFrame(INITIAL_STATE, INITIAL_STATE, CUTOVER_APPLY);
  await turn();
  const next = await reconnect("m-1");
  next.fireFrame(INITIAL_STATE, CUTOVER_APPLY, ABORT, ABORT);
  await turn();
  expect(calls).toEqual([
    ["onInitialState", { n: 1 }, "m-1"],
    ["onCutoverApply", { n: 3 }, "m-1"],
    ["onAbort", "the target died", "m-1"],
  ]);
  expect(lines.filter((line) => line.includes("ignored"))).toEqual([
    "job-7: initial-state of m-1 ignored: it has been handled already",
    "job-7: initial-state of m-1 ignored: it has been handled already",
    "job-7: cutover-apply of m-1 ignored: it has been handled already",
    "job-7: abort of m-1 ignored: it has been handled already",
  ]);
});

test("the same commands of the next migration are new", async () => {
  const calls: unknown[] = [];
  const { socket } = connected(recorder(calls));
  socket.fireFrame(GET_STATE, CUTOVER_READY, ABORT);
  await turn();
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" }, { ...CUTOVER_READY, migrationId: "m-2" });
  await turn();
  expect(calls.slice(-2)).toEqual([
    ["onGetState", "m-2"],
    ["onCutoverReady", { n: 2 }, "m-2"],
  ]);
});

test("an initial state without a handler has no effect: a target may not need it", async () => {
  const { client, socket, lines } = connected({}, { target: "m-1" });
  socket.fireFrame(INITIAL_STATE, ABORT);
  await turn();
  expect(socket.answers).toEqual([]);
  expect(client.connected).toBe(true);
  expect(lines).toContain("job-7: initial-state of m-1: this job has no onInitialState handler");
});

test.each([
  ["onCutoverReady", CUTOVER_READY],
  ["onCutoverApply", CUTOVER_APPLY],
] as const)("without %s the handover is aborted at once, because nobody will answer", async (name, frame) => {
  const { client, socket, lines } = connected({}, { target: "m-1" });
  socket.fireFrame(frame);
  await turn();
  expect(socket.answers).toEqual([{ type: "abort", reason: `this job has no ${name} handler` }]);
  expect(lines).toContain(`job-7: ${frame.type} of m-1: this job has no ${name} handler`);
  expect(client).toMatchObject({ connected: true, migrationId: undefined });
});

test("a command without a handler does not abort the migration that came after it", async () => {
  const { client, socket, lines, clock } = connected(
    { onInitialState: () => new Promise(() => {}), onGetState: () => new Promise(() => {}) },
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, { ...CUTOVER_APPLY, migrationId: "m-0" });
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" }, ABORT);
  await clock.advance(1_000);
  expect(lines).toContain("job-7: cutover-apply of m-0: this job has no onCutoverApply handler");
  expect(socket.answers).toEqual([]);
  expect(client.migrationId).toBe("m-2");
});

test("a command without a handler that was aborted in the meantime aborts nothing", async () => {
  const { socket } = connected({ onInitialState: () => new Promise(() => {}) }, { target: "m-1" });
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY, ABORT);
  await turn();
  expect(socket.answers).toEqual([]);
});

test.each([
  ["onInitialState", INITIAL_STATE],
  ["onCutoverReady", CUTOVER_READY],
  ["onCutoverApply", CUTOVER_APPLY],
] as const)("%s that throws aborts the handover, and what was reported after that is dropped", async (name, frame) => {
  const { client, socket, lines } = connected(
    { [name]: () => Promise.reject(new Error("the device is gone")) },
    { target: "m-1" },
  );
  socket.fireFrame(frame);
  await turn();
  expect(socket.answers).toEqual([{ type: "abort", reason: `${name} failed: the device is gone` }]);
  expect(lines).toContain(`job-7: ${name} failed: the device is gone`);
  expect(client.migrationId).toBeUndefined();
  client.reportReady(1);
  client.abort("again");
  expect(socket.answers).toHaveLength(1);
});

test("a report that cannot be sent, thrown out of a handler, aborts the handover", async () => {
  const { client, socket } = connected({ onCutoverReady: () => client.reportStoppedOutput(1n) });
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  expect(socket.answers.at(-1)).toEqual({
    type: "abort",
    reason: expect.stringMatching(/^onCutoverReady failed: reportStoppedOutput: the payload cannot be sent as JSON/),
  });
});

test("onAbort that throws is only logged", async () => {
  const { client, socket, lines } = connected({ onAbort: () => Promise.reject(new Error("cannot resume")) });
  socket.fireFrame(GET_STATE, ABORT);
  await turn();
  expect(lines.at(-1)).toBe("job-7: onAbort failed: cannot resume");
  expect(socket.answers.filter((frame) => frame.type === "abort")).toEqual([]);
  expect(client.connected).toBe(true);
});

test("an abort pre-empts the running handler by its signal, drops what waits, and then calls onAbort", async () => {
  const calls: unknown[] = [];
  const { client, socket, clock } = connected(
    recorder(calls, {
      onInitialState: (_payload, _id, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            calls.push([signal.reason.code, client.migrationId]);
            reject(signal.reason);
          }),
        ),
    }),
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY, ABORT);
  await turn();
  expect(calls).toEqual([
    ["aborted", undefined],
    ["onAbort", "the target died", "m-1"],
  ]);
  expect(socket.answers).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("onAbort waits a second at most for a handler that ignores its signal", async () => {
  const calls: unknown[] = [];
  let finish = (): void => {};
  const { client, socket, clock, lines } = connected(
    recorder(calls, {
      async onCutoverReady() {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        client.reportStoppedOutput({ at: 1 });
        throw new Error("too late");
      },
    }),
  );
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  socket.fireFrame(ABORT);
  await clock.advance(999);
  expect(calls).toEqual([["onGetState", "m-1"]]);
  await clock.advance(1);
  expect(calls.at(-1)).toEqual(["onAbort", "the target died", "m-1"]);

  // What it still reports belongs to a migration that is over, also while the next one is in progress.
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" });
  await turn();
  finish();
  await turn();
  expect(socket.answers.map((frame) => frame.type)).toEqual(["state", "state"]);
  expect(lines).toContain("job-7: reportStoppedOutput dropped: cutover-ready has not arrived");
  expect(client.migrationId).toBe("m-2");
  expect(clock.pending).toBe(0);
});

test("an abort of a migration whose get-state is running withdraws the answer", async () => {
  let finish: (value: string) => void = () => {};
  const calls: unknown[] = [];
  const { client, socket, clock } = connected(
    recorder(calls, {
      onGetState: (id) =>
        id === "m-2"
          ? "second"
          : new Promise((resolve) => {
              finish = resolve;
            }),
    }),
  );
  socket.fireFrame(GET_STATE, ABORT, { ...GET_STATE, migrationId: "m-2" });
  client.reportState("early");
  finish("first");
  await turn();
  expect(calls).toEqual([["onAbort", "the target died", "m-1"]]);
  expect(socket.answers).toEqual([{ type: "state", payload: "second" }]);
  expect(clock.pending).toBe(0);
});

test("an abort does not fire the signal of a handler of another migration, but does not wait for it either", async () => {
  const signals: AbortSignal[] = [];
  const calls: unknown[] = [];
  const { client, socket, clock } = connected(
    recorder(calls, {
      onCutoverApply(_payload, _id, { signal }) {
        signals.push(signal);
        client.reportApplied();
        return new Promise(() => {});
      },
    }),
    { target: "m-1" },
  );
  socket.fireFrame(CUTOVER_APPLY);
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" }, { ...ABORT, migrationId: "m-2" });
  await clock.advance(1_000);
  expect(signals[0]?.aborted).toBe(false);
  expect(calls).toEqual([["onAbort", "the target died", "m-2"]]);
  client.close();
  expect(signals[0]?.aborted).toBe(true);
});

test("after its own abort a job hears of the worker's abort and of nothing else", async () => {
  const calls: unknown[] = [];
  const { client, socket } = connected(recorder(calls));
  socket.fireFrame(GET_STATE);
  await turn();
  client.abort("the disk is full");
  socket.fireFrame(CUTOVER_READY, GET_STATE, ABORT);
  await turn();
  expect(calls.slice(1)).toEqual([["onAbort", "the target died", "m-1"]]);
  expect(socket.answers.slice(1)).toEqual([
    { type: "abort", reason: "the disk is full" },
    { type: "state-refused", reason: "migration m-1 was ended by its job" },
  ]);
});

test("commands that waited when the connection went are still carried out", async () => {
  let finish = (): void => {};
  const onCutoverApply = vi.fn<() => void>(() => client.reportApplied());
  const { client, socket, reconnect } = connected(
    {
      onInitialState: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
      onCutoverApply,
    },
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  socket.fireClose(1006);
  finish();
  await turn();
  expect(onCutoverApply).toHaveBeenCalledTimes(1);
  const next = await reconnect("m-1");
  expect(next.answers).toEqual([{ type: "target-applied" }]);
});

test("close fires the signal of the running handler, drops what waits and calls no handler any more", async () => {
  const calls: unknown[] = [];
  const { client, socket, clock } = connected(
    recorder(calls, {
      onInitialState: (_payload, _id, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    }),
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  client.close();
  await turn();
  socket.fireFrame(ABORT);
  await turn();
  expect(calls).toEqual([]);
  expect(socket.answers).toEqual([]);
  socket.fireClose(1000);
  expect(clock.pending).toBe(0);
});

test("handlers may close the client", async () => {
  const { client, socket, clock } = connected({ onCutoverReady: () => client.close() });
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  expect(client.connected).toBe(false);
  socket.fireClose(1000);
  expect(clock.pending).toBe(0);
});

test("onAbort goes before a question of the next migration that waits already", async () => {
  const calls: unknown[] = [];
  const { socket, clock } = connected(recorder(calls, { onCutoverApply: () => new Promise(() => {}) }), {
    target: "m-1",
  });
  socket.fireFrame(CUTOVER_APPLY, { ...GET_STATE, migrationId: "m-2" }, ABORT);
  await clock.advance(1_000);
  expect(calls).toEqual([
    ["onAbort", "the target died", "m-1"],
    ["onGetState", "m-2"],
  ]);
});

test("a handler that fails long after its migration does not abort the present one", async () => {
  let fail: (error: Error) => void = () => {};
  const { client, socket, clock, lines } = connected(
    {
      onCutoverApply: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      onGetState: () => new Promise(() => {}),
    },
    { target: "m-1" },
  );
  socket.fireFrame(CUTOVER_APPLY, { ...GET_STATE, migrationId: "m-2" }, { ...ABORT, migrationId: "m-2" });
  await clock.advance(1_000);
  socket.fireFrame({ ...GET_STATE, migrationId: "m-3" });
  fail(new Error("too late"));
  await turn();
  expect(lines.at(-1)).toBe("job-7: onCutoverApply failed: too late");
  expect(socket.answers).toEqual([]);
  expect(client.migrationId).toBe("m-3");
});

test("close while an abort waits for a handler leaves no timer and calls no onAbort", async () => {
  const calls: unknown[] = [];
  const { client, socket, clock } = connected(recorder(calls, { onInitialState: () => new Promise(() => {}) }), {
    target: "m-1",
  });
  socket.fireFrame(INITIAL_STATE, ABORT);
  expect(clock.pending).toBe(1);
  client.close();
  socket.fireClose(1000);
  expect(clock.pending).toBe(0);
  await clock.advance(10_000);
  expect(calls).toEqual([]);
});
