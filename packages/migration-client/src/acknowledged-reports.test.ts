import { expect, test } from "vitest";
import { connectedV2, turn, unconnected } from "../test/harness.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 8 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 8, payload: null } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", epoch: 8, payload: null } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 9, reason: "the source died" } as const;
const COMMITTED = { type: "committed", migrationId: "m-1", epoch: 8 } as const;

const READY = { type: "target-ready", migrationId: "m-1", seq: 1, payload: { n: 1 } } as const;
const APPLIED = { type: "target-applied", migrationId: "m-1", seq: 2 } as const;

function target() {
  return connectedV2({ onCutoverApply: () => {} }, { target: "m-1" });
}

test("every report of a session has its migration and the next number, whichever migration it is of", async () => {
  const { client, socket } = connectedV2(
    { onGetState: (id) => (id === "m-2" ? 1 : client.refuseState("no")), onCutoverReady: () => {} },
    { target: "m-1" },
  );
  client.reportReady({ n: 1 });
  socket.fireFrame(CUTOVER_APPLY, { ...GET_STATE, migrationId: "m-2" }, { ...CUTOVER_READY, migrationId: "m-2" });
  await turn();
  client.reportStoppedOutput(2);
  client.abort("enough");
  socket.fireFrame({ ...ABORT, migrationId: "m-2" }, { ...GET_STATE, migrationId: "m-3" });
  await turn();
  expect(socket.answersV2).toEqual([
    READY,
    { type: "abort", migrationId: "m-1", seq: 2, reason: "this job has no onCutoverApply handler" },
    { type: "state", migrationId: "m-2", seq: 3, payload: 1 },
    { type: "source-stopped-output", migrationId: "m-2", seq: 4, payload: 2 },
    { type: "abort", migrationId: "m-2", seq: 5, reason: "enough" },
    { type: "state-refused", migrationId: "m-3", seq: 6, reason: "no" },
  ]);
});

test("what was not acknowledged is sent again, in order and before anything new, until it is", async () => {
  const { client, socket, lose } = target();
  client.reportReady({ n: 1 });
  socket.fireFrame(CUTOVER_APPLY);
  await turn();
  client.reportApplied();
  expect(socket.answersV2).toEqual([READY, APPLIED]);
  const second = await lose();
  client.abort("and yet");
  expect(second.sent).toHaveLength(0);
  second.acknowledgeV2("m-1");
  const aborted = { type: "abort", migrationId: "m-1", seq: 3, reason: "and yet" } as const;
  expect(second.answersV2).toEqual([READY, APPLIED, aborted]);
  second.fireFrame({ type: "report-ack", seq: 1 }, { type: "report-ack", seq: 1 }, { type: "report-ack", seq: 2 });
  const third = await lose();
  third.acknowledgeV2("m-1");
  expect(third.answersV2).toEqual([aborted]);
  third.fireFrame({ type: "report-ack", seq: 3 });
  const fourth = await lose();
  fourth.acknowledgeV2("m-1");
  expect(fourth.answersV2).toEqual([]);
});

test("a report is sent again as what it was when it was made", async () => {
  const { client, lose } = target();
  const position = { n: 1 };
  client.reportReady(position);
  position.n = 2;
  const next = await lose();
  next.acknowledgeV2("m-1");
  expect(next.answersV2).toEqual([READY]);
});

test("a report that could not be written, or met a connection that fails, waits for the next one", async () => {
  const { client, socket, lose } = target();
  socket.sendError = new Error("not open");
  client.reportReady({ n: 1 });
  const second = await lose();
  second.fireOpen();
  second.sendError = new Error("not open");
  second.fireFrame({ type: "hello-ack", protocol: 2, migration: { id: "m-1" } });
  expect(client.connected).toBe(false);
  const third = await lose();
  third.acknowledgeV2("m-1");
  expect(third.answersV2).toEqual([READY]);
});

test("reports before the first acknowledgement wait for it and for the migration that it names", () => {
  const { client, socket } = unconnected({});
  client.reportReady({ n: 1 });
  socket.acknowledgeV2("m-1");
  expect(socket.answersV2).toEqual([READY]);
  const source = unconnected({});
  source.client.reportReady({ n: 1 });
  source.socket.acknowledgeV2();
  expect(source.socket.answersV2).toEqual([]);
  expect(source.lines).toContain("job-7: reportReady dropped: its migration is not in progress any more");
});

test("a target that was committed while it was away still says that it has taken over", async () => {
  const { client, socket, lose } = target();
  socket.fireFrame(CUTOVER_APPLY);
  await turn();
  client.reportApplied();
  const next = await lose();
  next.acknowledgeV2();
  expect(next.answersV2).toEqual([{ ...APPLIED, seq: 1 }]);
});

test("an ignored report is acknowledged too, and the log says why it was", async () => {
  const { client, socket, lines, lose } = target();
  client.reportReady({ n: 1 });
  socket.fireFrame({ type: "report-ack", seq: 1, ignored: "nothing waits for it" });
  expect(lines.at(-1)).toBe('job-7: reportReady was ignored by the worker: "nothing waits for it"');
  const next = await lose();
  next.acknowledgeV2("m-1");
  expect(next.answersV2).toEqual([]);
  expect(client.migrationId).toBe("m-1");
});

const DROPPED = "job-7: reportApplied dropped: its migration is not in progress any more";

test.each([
  { end: ABORT, says: [DROPPED] },
  // The worker has heard what it commits: its acknowledgement follows.
  { end: COMMITTED, says: [] },
])("what a $end.type finds undelivered is dropped, what was acknowledged is not touched", async ({ end, says }) => {
  const { client, socket, lines, lose } = target();
  client.reportReady({ n: 1 });
  socket.fireFrame(CUTOVER_APPLY, { type: "report-ack", seq: 1 });
  await turn();
  client.reportApplied();
  socket.fireFrame(end);
  expect(lines.filter((line) => line.includes("dropped"))).toEqual(says);
  const next = await lose();
  next.acknowledgeV2();
  expect(next.answersV2).toEqual([]);
});

test("the end of a migration does not drop the reports of another one", async () => {
  const { client, socket, lose } = connectedV2({ onGetState: () => 1 }, { target: "m-1" });
  client.reportReady({ n: 1 });
  socket.fireFrame({ ...GET_STATE, migrationId: "m-2" });
  await turn();
  socket.fireFrame(ABORT);
  const next = await lose();
  next.acknowledgeV2();
  expect(next.answersV2).toEqual([{ type: "state", migrationId: "m-2", seq: 2, payload: 1 }]);
});

test("the size that a worker takes counts, with the envelope of version 2, and that of the last one while it is away", async () => {
  const { client, socket, lose } = unconnected({});
  socket.acknowledgeV2("m-1", { limits: { maxFrameBytes: 100 } });
  const envelope = JSON.stringify({ ...READY, payload: "" }).length;
  expect(() => client.reportReady("x".repeat(101 - envelope))).toThrow(
    "reportReady: the payload makes a frame of 101 bytes, and a worker takes 100",
  );
  client.reportReady("x".repeat(100 - envelope));
  expect(new TextEncoder().encode(socket.sent[1]).length).toBe(100);
  const next = await lose();
  expect(() => client.reportReady("x".repeat(101 - envelope))).toThrow("a worker takes 100");
  next.acknowledgeV2("m-1", { limits: { maxFrameBytes: 1_000 } });
  client.reportReady("x".repeat(500));
  expect(next.answersV2).toHaveLength(2);
});

test("a state that is larger than this worker takes is refused in words, however short the words may be", async () => {
  const { socket } = unconnected({ onGetState: () => "x".repeat(50) });
  socket.acknowledgeV2(undefined, { limits: { maxFrameBytes: 60 } });
  socket.fireFrame(GET_STATE);
  await turn();
  expect(socket.answersV2).toEqual([
    { type: "state-refused", migrationId: "m-1", seq: 1, reason: expect.stringMatching(/a worker takes 60$/) },
  ]);
});

test("what was made for a worker that took more is replaced, because it would end every connection", async () => {
  const source = connectedV2({ onGetState: () => "x".repeat(500) });
  source.socket.fireFrame(GET_STATE);
  await turn();
  const small = { limits: { maxFrameBytes: 200 } };
  const next = await source.lose();
  next.acknowledgeV2(undefined, small);
  const refused = { type: "state-refused", migrationId: "m-1", seq: 1, reason: expect.stringMatching(/takes 200$/) };
  expect(next.answersV2).toEqual([refused]);
  expect(source.client.migrationId).toBeUndefined();
  const again = await source.lose();
  again.acknowledgeV2(undefined, small);
  expect(again.answersV2).toEqual([refused]);
  const large = await source.lose();
  large.acknowledgeV2();
  expect(large.answersV2).toEqual([refused]);

  const fresh = target();
  fresh.client.reportReady("x".repeat(500));
  const other = await fresh.lose();
  other.acknowledgeV2("m-1", small);
  expect(other.answersV2).toEqual([
    { type: "abort", migrationId: "m-1", seq: 1, reason: expect.stringMatching(/^reportReady: .* takes 200$/) },
  ]);
  expect(fresh.client.migrationId).toBeUndefined();
});
