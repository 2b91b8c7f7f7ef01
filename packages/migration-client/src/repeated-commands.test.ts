import { expect, test, vi } from "vitest";
import { connectedV2, turn } from "../test/harness.js";
import type { MigrationHandlers } from "./migration-handlers.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 8, deadlineMs: 10_000 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 8, payload: null } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 9, reason: "the target died" } as const;

/** A source whose `onGetState` settles when the test says so. */
function slowSource(extra: MigrationHandlers = {}) {
  const finish: ((value: unknown) => void)[] = [];
  const signals: AbortSignal[] = [];
  const harness = connectedV2({
    onGetState: (_id, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => finish.push(resolve));
    },
    ...extra,
  });
  return { ...harness, finish, signals };
}

const STATE = { type: "state", migrationId: "m-1", seq: 1, payload: "the state" } as const;

test("a question that is repeated while its handler runs, over a reconnect too, is asked and answered once", async () => {
  const { socket, lose, finish, signals, lines } = slowSource();
  socket.fireFrame(GET_STATE, GET_STATE);
  await turn();
  const next = await lose();
  expect(signals[0]?.aborted).toBe(false);
  next.acknowledgeV2();
  next.fireFrame(GET_STATE);
  await turn();
  finish[0]?.("the state");
  await turn();
  expect(finish).toHaveLength(1);
  expect(socket.answersV2).toEqual([]);
  expect(next.answersV2).toEqual([STATE]);
  expect(lines).toContain("job-7: get-state of m-1 ignored: it has been handled already");
});

test("an answer that is ready while there is no connection follows on the next one", async () => {
  const { client, socket, lose, finish } = slowSource();
  socket.fireFrame(GET_STATE);
  const next = await lose();
  finish[0]?.("the state");
  await turn();
  next.acknowledgeV2();
  next.fireFrame(GET_STATE);
  await turn();
  expect(next.answersV2).toEqual([STATE]);
  expect(finish).toHaveLength(1);
  expect(client.migrationId).toBe("m-1");
});

test("reportState inside the handler answers without a connection too", async () => {
  const { client, socket, lose, finish } = slowSource();
  socket.fireFrame(GET_STATE);
  const next = await lose();
  client.reportState("the state");
  finish[0]?.(undefined);
  await turn();
  next.acknowledgeV2();
  expect(next.answersV2).toEqual([STATE]);
});

test("a question that was answered, acknowledged or not, is not asked again", async () => {
  const onGetState = vi.fn<() => string>(() => "the state");
  const { socket, lose } = connectedV2({ onGetState });
  socket.fireFrame(GET_STATE);
  await turn();
  const second = await lose();
  second.acknowledgeV2();
  second.fireFrame(GET_STATE, { type: "report-ack", seq: 1 }, GET_STATE);
  await turn();
  expect(second.answersV2).toEqual([STATE]);
  expect(onGetState).toHaveBeenCalledTimes(1);
});

test("a question that was refused is not asked again, and the refusal is sent until it is acknowledged", async () => {
  const onGetState = vi.fn<() => never>(() => {
    throw new Error("no disk");
  });
  const { client, socket, lose } = connectedV2({ onGetState });
  socket.fireFrame(GET_STATE);
  await turn();
  const second = await lose();
  second.acknowledgeV2();
  second.fireFrame(GET_STATE);
  await turn();
  expect(second.answersV2).toEqual(socket.answersV2);
  expect(second.answersV2).toMatchObject([{ type: "state-refused", seq: 1 }]);
  expect(onGetState).toHaveBeenCalledTimes(1);
  expect(client.migrationId).toBeUndefined();
});

test("cutover commands and aborts that are repeated run nothing", async () => {
  const calls: string[] = [];
  const { client, socket, lose } = connectedV2({
    onGetState: () => 1,
    onCutoverReady: () => {
      calls.push("onCutoverReady");
      client.reportStoppedOutput(1);
    },
    onAbort: () => void calls.push("onAbort"),
  });
  socket.fireFrame(GET_STATE, CUTOVER_READY, CUTOVER_READY);
  await turn();
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(CUTOVER_READY, ABORT, ABORT, GET_STATE, CUTOVER_READY);
  await turn();
  expect(calls).toEqual(["onCutoverReady", "onAbort"]);
});

test("a question about a migration that has ended before it came is refused, not put to the handler", async () => {
  const { socket, finish } = slowSource();
  socket.fireFrame(ABORT, GET_STATE);
  await turn();
  expect(finish).toEqual([]);
  expect(socket.answersV2).toEqual([
    { type: "state-refused", migrationId: "m-1", seq: 1, reason: "migration m-1 was ended by its worker" },
  ]);
});

test("an abort still withdraws the question and fires the signal", async () => {
  const { socket, lose, finish, signals } = slowSource();
  socket.fireFrame(GET_STATE);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(ABORT);
  finish[0]?.("the state");
  await turn();
  expect(signals[0]?.reason).toMatchObject({ code: "aborted" });
  expect(next.answersV2).toEqual([]);
});

test.each([
  [10_000, 9_000],
  [2_000, 1_800],
  [60_000, 9_000],
  [undefined, 9_000],
])("with a deadline of %s ms a question is refused after %i ms", async (deadlineMs, timeoutMs) => {
  const { socket, clock } = slowSource();
  const { deadlineMs: _, ...question } = GET_STATE;
  socket.fireFrame(deadlineMs === undefined ? question : { ...question, deadlineMs });
  await clock.advance(timeoutMs - 1);
  expect(socket.answersV2).toEqual([]);
  await clock.advance(1);
  expect(socket.answersV2).toEqual([
    {
      type: "state-refused",
      migrationId: "m-1",
      seq: 1,
      reason: `onGetState did not settle within ${timeoutMs} ms`,
    },
  ]);
});

test("a question times out without a connection too, and the refusal follows", async () => {
  const { socket, sockets, clock } = slowSource();
  socket.fireFrame({ ...GET_STATE, deadlineMs: 1_000 });
  socket.fireClose(1006);
  await clock.advance(1_000);
  sockets[1]?.acknowledgeV2();
  expect(sockets[1]?.answersV2).toMatchObject([{ type: "state-refused", migrationId: "m-1", seq: 1 }]);
});
