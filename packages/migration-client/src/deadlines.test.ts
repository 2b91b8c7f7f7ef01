import { expect, test } from "vitest";
import type { FakeWebSocket } from "../test/fake-web-socket.js";
import { connectedV2, turn } from "../test/harness.js";
import type { MigrationHandlers } from "./migration-handlers.js";

const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 2, deadlineMs: 10_000, payload: 1 } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", epoch: 2, deadlineMs: 10_000, payload: 1 } as const;
const INITIAL_STATE = { type: "initial-state", migrationId: "m-1", epoch: 2, deadlineMs: 60_000, payload: 1 } as const;
const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 2, deadlineMs: 5_000 } as const;

/** What was sent, without the signs of life. */
const reports = ({ answersV2 }: FakeWebSocket): object[] => answersV2.filter(({ type }) => type !== "ping");

const never = (): Promise<never> => new Promise(() => {});

test.each([
  ["onCutoverReady", CUTOVER_READY, {}, 9_000],
  ["onInitialState", INITIAL_STATE, { target: "m-1" }, 54_000],
  ["onCutoverApply", CUTOVER_APPLY, { target: "m-1" }, 9_000],
] as const)(
  "%s that does not settle in time is called off and aborts the migration",
  async (handler, frame, as, ms) => {
    const reasons: unknown[] = [];
    const handlers: MigrationHandlers = {
      [handler]: (_payload: unknown, _id: string, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        return never();
      },
    };
    const { client, socket, clock, lines } = connectedV2(handlers, as);
    socket.fireFrame(frame);
    for (let at = 0; at < ms - 1; at += 1_000) {
      socket.fireFrame({ type: "pong" });
      await clock.advance(Math.min(1_000, ms - 1 - at));
    }
    expect([reports(socket), reasons]).toEqual([[], []]);
    await clock.advance(1);
    const reason = `${handler} did not settle within ${ms} ms`;
    expect(reports(socket)).toEqual([{ type: "abort", migrationId: "m-1", seq: 1, reason }]);
    expect(reasons).toEqual([expect.objectContaining({ code: "timed-out", message: reason })]);
    expect(lines.at(-1)).toBe(`job-7: ${frame.type} of m-1: ${reason}`);
    client.reportStoppedOutput(1);
    client.reportApplied();
    client.reportReady(1);
    expect(reports(socket)).toHaveLength(1);
    expect(lines.slice(-3)).toEqual(
      Array(3).fill(expect.stringMatching(/dropped: migration m-1 was ended by its job$/)),
    );
  },
);

test("a command that another handler keeps waiting aborts its migration in time and never runs", async () => {
  const calls: string[] = [];
  let finish: () => void = () => {};
  const { client, socket, clock } = connectedV2({
    onGetState: () => {
      client.reportState(1);
      return new Promise<void>((resolve) => (finish = resolve));
    },
    onCutoverReady: () => void calls.push("onCutoverReady"),
    onAbort: () => void calls.push("onAbort"),
  });
  socket.fireFrame(GET_STATE, CUTOVER_READY);
  await clock.advance(9_000);
  const reason = "the job was busy with onGetState for 9000 ms";
  expect(reports(socket)).toEqual([
    { type: "state", migrationId: "m-1", seq: 1, payload: 1 },
    { type: "abort", migrationId: "m-1", seq: 2, reason },
  ]);
  finish();
  await turn();
  socket.fireFrame({ type: "abort", migrationId: "m-1", epoch: 2, reason });
  await turn();
  expect(calls).toEqual(["onAbort"]);
});

test("the resume of a source does not wait for the handler whose time was over", async () => {
  const calls: string[] = [];
  const { socket, clock } = connectedV2({ onCutoverReady: never, onAbort: () => void calls.push("onAbort") });
  socket.fireFrame(CUTOVER_READY);
  await clock.advance(9_000);
  socket.fireFrame({ type: "abort", migrationId: "m-1", epoch: 2, reason: "over" });
  await clock.advance(1_000);
  expect(calls).toEqual(["onAbort"]);
});

test("a handler that has reported what it was called for may take its time", async () => {
  const { client, socket, clock } = connectedV2(
    {
      onInitialState: async () => client.reportReady(1),
      onCutoverApply: async (_payload, _id, { signal }) => {
        client.reportApplied();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    },
    { target: "m-1" },
  );
  socket.fireFrame(INITIAL_STATE, CUTOVER_APPLY);
  await turn();
  expect(clock.delays).toEqual([10_000]);
  socket.fireFrame({ type: "ping" });
  await clock.advance(9_999);
  expect(socket.answersV2.map(({ type }) => type)).toEqual(["target-ready", "target-applied", "pong"]);
});

test.each([
  ["abort", { type: "abort", migrationId: "m-1", epoch: 2, reason: "over" }],
  ["commit", { type: "committed", migrationId: "m-1", epoch: 2 }],
] as const)("the deadline of a handler ends with its migration, by %s", async (_, frame) => {
  const { socket, clock, lines } = connectedV2({ onCutoverReady: never });
  socket.fireFrame(CUTOVER_READY);
  await clock.advance(5_000);
  socket.fireFrame(frame);
  await clock.advance(4_999);
  expect(reports(socket)).toEqual([]);
  expect(lines.filter((line) => line.includes("did not settle"))).toEqual([]);
});

test("a command that is repeated after a reconnect has its first deadline, and the abort waits for the connection", async () => {
  const { socket, clock, lose } = connectedV2({ onCutoverReady: never });
  socket.fireFrame(CUTOVER_READY);
  await clock.advance(8_000);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame({ ...CUTOVER_READY, deadlineMs: 1_500 });
  const after = await lose();
  await clock.advance(1_000);
  after.acknowledgeV2();
  expect(after.answersV2).toEqual([
    { type: "abort", migrationId: "m-1", seq: 1, reason: "onCutoverReady did not settle within 9000 ms" },
  ]);
});

test("a command without a deadline has none, and one that is too long for a timer does not fire at once", async () => {
  const { deadlineMs: _, ...withoutDeadline } = CUTOVER_READY;
  const { socket, clock } = connectedV2({ onCutoverReady: never });
  socket.fireFrame(withoutDeadline);
  expect(clock.delays).toEqual([10_000]);
  const patient = connectedV2({ onCutoverReady: never });
  patient.socket.fireFrame({ ...CUTOVER_READY, deadlineMs: 1e12 });
  expect(patient.clock.delays).toEqual([10_000, 2 ** 31 - 1]);
});
