import { expect, test } from "vitest";
import { connected, connectedV2, turn } from "../test/harness.js";
import type { HandlerContext, MigrationHandlers } from "./migration-handlers.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 8 } as const;
const INITIAL_STATE = { type: "initial-state", migrationId: "m-1", epoch: 8, payload: 1 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 8, payload: 2 } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", epoch: 8, payload: 3 } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 9, reason: "the target died" } as const;
const COMMITTED = { type: "committed", migrationId: "m-1", epoch: 8 } as const;

/** Handlers that write down their name and their context. */
function contexts(seen: unknown[]): MigrationHandlers {
  const see = (name: string, context: HandlerContext): void => void seen.push([name, context]);
  return {
    onGetState: (_id, context) => see("onGetState", context),
    onInitialState: (_payload, _id, context) => see("onInitialState", context),
    onCutoverReady: (_payload, _id, context) => see("onCutoverReady", context),
    onCutoverApply: (_payload, _id, context) => see("onCutoverApply", context),
    onAbort: (_reason, _id, context) => see("onAbort", context),
    onCommitted: (_id, context) => see("onCommitted", context),
  };
}

test("every handler gets its command's epoch and a signal", async () => {
  const seen: unknown[] = [];
  const signal: unknown = expect.any(AbortSignal);
  const source = connectedV2(contexts(seen));
  source.socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  source.socket.fireFrame(ABORT);
  const target = connectedV2(contexts(seen), { target: "m-1" });
  target.socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY, COMMITTED);
  await turn();
  expect(seen).toStrictEqual([
    ["onGetState", { signal, epoch: 8 }],
    ["onCutoverReady", { signal, epoch: 8 }],
    ["onAbort", { signal, epoch: 9 }],
    ["onInitialState", { signal, epoch: 8 }],
    ["onCutoverApply", { signal, epoch: 8 }],
    ["onCommitted", { signal, epoch: 8 }],
  ]);
});

test("there is no epoch in version 1, also if a worker says one there", async () => {
  const seen: [string, HandlerContext][] = [];
  const { socket } = connected(contexts(seen));
  socket.fireFrame(GET_STATE, CUTOVER_READY, COMMITTED);
  await turn();
  expect(seen.map(([name, { epoch }]) => [name, epoch])).toEqual([
    ["onGetState", undefined],
    ["onCutoverReady", undefined],
  ]);
});

test("a target that hears of its commit is the source from then on, once", async () => {
  const calls: unknown[] = [];
  const { client, socket, lines, lose } = connectedV2(
    { onCutoverApply: () => client.reportApplied(), onCommitted: (id) => void calls.push([id, client.role]) },
    { target: "m-1" },
  );
  socket.fireFrame(CUTOVER_APPLY);
  await turn();
  expect(client).toMatchObject({ role: "target", migrationId: "m-1" });
  socket.fireFrame({ type: "report-ack", seq: 1 }, COMMITTED, COMMITTED);
  await turn();
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(COMMITTED, ABORT);
  await turn();
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
  expect(calls).toEqual([["m-1", "source"]]);
  expect(next.answersV2).toEqual([]);
  expect(lines.slice(-2)).toEqual([
    "job-7: committed of m-1 ignored: it has been handled already",
    "job-7: abort of m-1 ignored: migration m-1 was ended by its commit",
  ]);
});

test("a target that was away when it was committed hears it after the next hello", async () => {
  const calls: unknown[] = [];
  const { client, socket, lose } = connectedV2(
    { onCutoverApply: () => client.reportApplied(), onCommitted: (id) => void calls.push(id) },
    { target: "m-1" },
  );
  socket.fireFrame(CUTOVER_APPLY);
  await turn();
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(COMMITTED);
  await turn();
  expect(calls).toEqual(["m-1"]);
  expect(client.role).toBe("source");
});

test("a source hears of the commit too, and reports nothing of that migration any more", async () => {
  const calls: unknown[] = [];
  const { client, socket, lines } = connectedV2({
    onCutoverReady: () => client.reportStoppedOutput(9),
    onCommitted: (id) => void calls.push(id),
  });
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await turn();
  socket.fireFrame(COMMITTED);
  await turn();
  client.abort("no");
  expect(calls).toEqual(["m-1"]);
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
  expect(lines.at(-1)).toBe("job-7: abort dropped: migration m-1 was ended by its commit");
});

test("the target of a committed migration is a source in the next one", async () => {
  const calls: unknown[] = [];
  const { client, socket } = connectedV2(
    { onGetState: () => "state", onAbort: (reason) => void calls.push([reason, client.role]) },
    { target: "m-1" },
  );
  socket.fireFrame(COMMITTED, { ...GET_STATE, migrationId: "m-2", epoch: 9 });
  await turn();
  expect(client).toMatchObject({ role: "source", migrationId: "m-2" });
  socket.fireFrame({ ...ABORT, migrationId: "m-2" });
  await turn();
  expect(calls).toEqual([["the target died", "source"]]);
});

test("onCommitted waits its turn, is optional, and is only logged when it throws", async () => {
  let finish = (): void => {};
  const calls: string[] = [];
  const { socket, lines } = connectedV2(
    {
      onCutoverApply: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
      onCommitted: () => {
        calls.push("onCommitted");
        throw new Error("cannot release");
      },
    },
    { target: "m-1" },
  );
  socket.fireFrame(CUTOVER_APPLY, COMMITTED);
  await turn();
  expect(calls).toEqual([]);
  finish();
  await turn();
  expect(calls).toEqual(["onCommitted"]);
  expect(lines.at(-1)).toBe("job-7: onCommitted failed: cannot release");
  const without = connectedV2({}, { target: "m-1" });
  without.socket.fireFrame(COMMITTED);
  await turn();
  expect(without.client).toMatchObject({ role: "source", connected: true });
  expect(without.lines.at(-1)).toBe("job-7: m-1 committed");
});

test("a commit after the worker's own abort changes nothing", async () => {
  const calls: unknown[] = [];
  const { client, socket, lines } = connectedV2({ onCommitted: (id) => void calls.push(id) }, { target: "m-1" });
  socket.fireFrame(ABORT, COMMITTED);
  await turn();
  expect(calls).toEqual([]);
  expect(client.role).toBe("target");
  expect(lines.at(-1)).toBe("job-7: committed of m-1 ignored: migration m-1 was ended by its worker");
});
