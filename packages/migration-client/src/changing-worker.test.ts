import { expect, test, vi } from "vitest";
import { connected, connectedV2, turn } from "../test/harness.js";

const GET_STATE = { type: "get-state", migrationId: "m-1" } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", payload: null } as const;
const V2 = { epoch: 8 } as const;

test("a worker of version 1 that follows one of version 2 gets what was not acknowledged, once", async () => {
  const { client, socket, lose } = connectedV2({ onCutoverApply: () => {} }, { target: "m-1" });
  client.reportReady(1);
  socket.fireFrame({ type: "report-ack", seq: 1 }, { ...CUTOVER_APPLY, ...V2 });
  await turn();
  client.reportApplied();
  const second = await lose();
  client.abort("and yet");
  second.acknowledge("m-1");
  expect(second.sent.slice(1).map((text) => JSON.parse(text))).toEqual([
    { type: "target-applied" },
    { type: "abort", reason: "and yet" },
  ]);
  const third = await lose();
  third.acknowledge("m-1");
  expect(third.answers).toEqual([]);
  const fourth = await lose();
  fourth.acknowledgeV2("m-1");
  expect(fourth.answersV2).toEqual([]);
});

test("what waited for a worker of version 1 is numbered for one of version 2, and then kept until acknowledged", async () => {
  const { client, socket, lose } = connected({}, { target: "m-1" });
  client.reportReady(1);
  expect(socket.answers).toHaveLength(1);
  const second = await lose();
  client.reportReady(2);
  second.acknowledgeV2("m-1");
  const waiting = { type: "target-ready", migrationId: "m-1", seq: 2, payload: 2 };
  expect(second.answersV2).toEqual([waiting]);
  const third = await lose();
  third.acknowledgeV2("m-1");
  expect(third.answersV2).toEqual([waiting]);
});

test("a worker of version 1 gets no answer from before: it asks anew", async () => {
  const onGetState = vi.fn<() => unknown>().mockReturnValueOnce("old").mockReturnValueOnce("new");
  const { socket, lose } = connectedV2({ onGetState });
  socket.fireFrame({ ...GET_STATE, ...V2 });
  await turn();
  expect(socket.answersV2).toHaveLength(1);
  const next = await lose();
  next.acknowledge();
  expect(next.answers).toEqual([]);
  next.fireFrame(GET_STATE);
  await turn();
  expect(next.answers).toEqual([{ type: "state", payload: "new" }]);
});

test("a question of version 2 that is still running is withdrawn by a worker of version 1, not by the lost connection", async () => {
  const finish: ((value: string) => void)[] = [];
  const signals: AbortSignal[] = [];
  const { socket, lose } = connectedV2({
    onGetState: (_id, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => finish.push(resolve));
    },
  });
  socket.fireFrame({ ...GET_STATE, ...V2 });
  const next = await lose();
  expect(signals[0]?.aborted).toBe(false);
  next.acknowledge();
  expect(signals[0]?.reason).toMatchObject({ code: "disconnected" });
  next.fireFrame(GET_STATE);
  finish[0]?.("old");
  await turn();
  finish[1]?.("new");
  await turn();
  expect(next.answers).toEqual([{ type: "state", payload: "new" }]);
});

test.each(["answered", "refused"])(
  "a question that was %s under version 2 and is lost by a worker of version 1 is new to the next one of version 2",
  async (how) => {
    let calls = 0;
    const { client, socket, lose } = connectedV2({
      onGetState: () => {
        calls += 1;
        if (how === "refused") client.refuseState("no");
      },
    });
    socket.fireFrame({ ...GET_STATE, ...V2 });
    await turn();
    const second = await lose();
    second.acknowledge();
    const third = await lose();
    third.acknowledgeV2();
    expect(third.answersV2).toEqual([]);
    third.fireFrame({ ...GET_STATE, ...V2 });
    await turn();
    expect(third.answersV2).toHaveLength(1);
    expect(calls).toBe(2);
  },
);

test("a question of version 1 that lost its answer is asked by a worker of version 2, once", async () => {
  const onGetState = vi.fn<() => unknown>(() => 1);
  const { socket, lose } = connected({ onGetState });
  socket.fireFrame(GET_STATE);
  await turn();
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame({ ...GET_STATE, ...V2 }, { ...GET_STATE, ...V2 });
  await turn();
  expect(next.answersV2).toMatchObject([{ type: "state", migrationId: "m-1" }]);
  expect(onGetState).toHaveBeenCalledTimes(2);
});

test("an answer that could not be written to a worker of version 1 is not sent to one of version 2, which asks itself", async () => {
  const onGetState = vi.fn<() => unknown>().mockReturnValueOnce("old").mockReturnValueOnce("new");
  const { socket, lose } = connected({ onGetState });
  socket.sendError = new Error("not open");
  socket.fireFrame(GET_STATE);
  await turn();
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame({ ...GET_STATE, ...V2 });
  await turn();
  expect(next.answersV2).toMatchObject([{ type: "state", payload: "new" }]);
});

test("the frames of version 2 are known on its connections only, and a newer one is skipped on either", async () => {
  const { client, socket, lines, lose } = connectedV2({}, { target: "m-1" });
  const before = lines.length;
  socket.fireMessage('{"type":"later"}');
  socket.fireMessage('{"type":"get-state","migrationId":"m-1"}');
  expect(lines.slice(before)).toEqual([
    'job-7: a frame was skipped: unknown frame type "later"',
    expect.stringMatching(/a frame was skipped: get-state: "epoch"/),
  ]);
  const next = await lose();
  next.acknowledge("m-1");
  next.fireFrame({ type: "committed", migrationId: "m-1", epoch: 8 });
  expect(lines.at(-1)).toBe('job-7: a frame was skipped: unknown frame type "committed"');
  expect(client).toMatchObject({ role: "target", connected: true });
});

test("a version that is higher than asked for is not taken for version 2", async () => {
  const { client, socket, lose } = connected({}, { target: "m-1" });
  expect(socket.frames[0]).toMatchObject({ protocol: 2, session: "session-1" });
  const next = await lose();
  next.fireOpen();
  next.fireFrame({ type: "hello-ack", protocol: 3, migration: { id: "m-1" } });
  client.reportReady(1);
  expect(next.sent[1]).toBe('{"type":"target-ready","payload":1}');
});
