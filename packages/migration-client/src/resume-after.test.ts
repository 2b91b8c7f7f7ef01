import { expect, test } from "vitest";
import { connected, connectedV2, turn, type Harness, type HarnessOptions } from "../test/harness.js";
import type { MigrationHandlers } from "./migration-handlers.js";

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 7 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 7, payload: null } as const;
const ABORT = { type: "abort", migrationId: "m-1", epoch: 9, reason: "the target died" } as const;
const COMMITTED = { type: "committed", migrationId: "m-1", epoch: 8 } as const;
const STOPPED = { type: "source-stopped-output", migrationId: "m-1", seq: 2, payload: 5 } as const;

const REASON = "nothing was heard of the worker for 60000 ms after the output had stopped";
const TOLD = { type: "abort", migrationId: "m-1", seq: 3, reason: REASON } as const;

interface Source extends Harness {
  readonly calls: unknown[];
}

/** A source that resumes after a minute, and has just stopped its output. */
async function stopped(
  connect: typeof connectedV2 = connectedV2,
  options: HarnessOptions = {},
  extra: MigrationHandlers = {},
): Promise<Source> {
  const calls: unknown[] = [];
  const harness = connect(
    {
      onGetState: () => 1,
      onCutoverReady: () => harness.client.reportStoppedOutput(5),
      onAbort: (reason, id, { epoch }) => void calls.push(["onAbort", reason, id, epoch]),
      onCommitted: (id) => void calls.push(["onCommitted", id]),
      ...extra,
    },
    { resumeAfterMs: 60_000, ...options },
  );
  const { epoch: _, ...question } = GET_STATE;
  const { epoch: __, ...command } = CUTOVER_READY;
  if (connect === connectedV2) harness.socket.fireFrame(GET_STATE, CUTOVER_READY);
  else harness.socket.fireFrame(question, command);
  await turn();
  return Object.assign(harness, { calls });
}

const RESUMED = ["onAbort", REASON, "m-1", 7];

test("a source that has stopped and lost its worker resumes after that long, once", async () => {
  const { client, socket, clock, calls, lines } = await stopped();
  socket.fireClose(1006);
  await clock.advance(59_999);
  expect(calls).toEqual([]);
  expect(client.migrationId).toBe("m-1");
  await clock.advance(1);
  expect(calls).toEqual([RESUMED]);
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
  expect(lines).toContain(`job-7: m-1 is given up: ${REASON}`);
  await clock.advance(600_000);
  expect(calls).toHaveLength(1);
});

test("without the option it waits for ever", async () => {
  const { client, socket, clock, calls } = await stopped(connectedV2, { resumeAfterMs: undefined });
  socket.fireClose(1006);
  await clock.advance(3_600_000);
  expect(calls).toEqual([]);
  expect(client.migrationId).toBe("m-1");
});

test("a source that has not stopped does not resume", async () => {
  const { socket, clock, calls } = await stopped(connectedV2, {}, { onCutoverReady: () => {} });
  socket.fireClose(1006);
  await clock.advance(3_600_000);
  expect(calls).toEqual([]);
});

test("the wait begins when the source reports, however long ago it was asked to stop", async () => {
  const { client, socket, clock, calls } = await stopped(connectedV2, {}, { onCutoverReady: () => {} });
  socket.fireClose(1006);
  await clock.advance(50_000);
  client.reportStoppedOutput(5);
  await clock.advance(59_999);
  expect(calls).toEqual([]);
  await clock.advance(1);
  expect(calls).toEqual([RESUMED]);
});

test("a job that reports again and again that it has stopped does not wait any longer", async () => {
  const { client, socket, clock, calls } = await stopped();
  socket.fireClose(1006);
  await clock.advance(50_000);
  client.reportStoppedOutput(5);
  client.reportApplied();
  await clock.advance(10_000);
  expect(calls).toEqual([RESUMED]);
});

test("with a worker that is connected and answers pings it never resumes, however short the time", async () => {
  const { client, socket, clock, calls } = await stopped(connectedV2, { resumeAfterMs: 100 });
  for (let answered = 0; answered < 30; answered += 1) {
    await clock.advance(10_000);
    socket.fireFrame({ type: "pong" });
  }
  expect(client.connected).toBe(true);
  expect(calls).toEqual([]);
});

test("a connection that has gone silent counts from the last frame, not from when it was given up", async () => {
  const { client, clock, calls } = await stopped();
  await clock.advance(20_000);
  expect(client.connected).toBe(false);
  await clock.advance(39_999);
  expect(calls).toEqual([]);
  await clock.advance(1);
  expect(calls).toEqual([RESUMED]);
});

test("a time that is over when the connection is given up makes the source resume at once", async () => {
  const { clock, calls } = await stopped(connectedV2, { resumeAfterMs: 15_000 });
  await clock.advance(19_999);
  expect(calls).toEqual([]);
  await clock.advance(1);
  expect(calls).toHaveLength(1);
});

test("any frame of the worker restarts the wait, on whichever connection and whatever it says", async () => {
  const v2 = await stopped();
  v2.socket.fireClose(1006);
  await v2.clock.advance(50_000);
  const next = await v2.lose();
  next.acknowledgeV2();
  next.fireClose(1006);
  await v2.clock.advance(59_999);
  expect(v2.calls).toEqual([]);
  await v2.clock.advance(1);
  expect(v2.calls).toEqual([RESUMED]);

  const v1 = await stopped(connected);
  await v1.clock.advance(50_000);
  v1.socket.fireMessage('{"type":"unknown"}');
  await v1.clock.advance(59_999);
  expect(v1.calls).toEqual([]);
  await v1.clock.advance(1);
  expect(v1.calls).toHaveLength(1);
});

test("a worker of version 1 that is connected and silent is told at once", async () => {
  const { client, socket, clock, calls } = await stopped(connected);
  await clock.advance(60_000);
  expect(client.connected).toBe(true);
  expect(calls).toEqual([["onAbort", REASON, "m-1", undefined]]);
  expect(socket.answers.slice(1)).toEqual([
    { type: "source-stopped-output", payload: 5 },
    { type: "abort", reason: REASON },
  ]);
  const { epoch: _, ...abort } = ABORT;
  socket.fireFrame(abort);
  await turn();
  expect(calls).toHaveLength(1);
});

test("a worker of version 1 that was away is told when it is back", async () => {
  const { socket, clock, lose, calls } = await stopped(connected);
  socket.fireClose(1006);
  await clock.advance(60_000);
  expect(calls).toHaveLength(1);
  const next = await lose();
  next.acknowledge();
  expect(next.answers).toEqual([{ type: "abort", reason: REASON }]);
});

test("the worker is told on reconnect that the source has resumed, and nothing of the report that it did not get", async () => {
  const { socket, clock, lose, lines } = await stopped();
  expect(socket.answersV2.at(-1)).toEqual(STOPPED);
  socket.fireFrame({ type: "report-ack", seq: 1 });
  socket.fireClose(1006);
  await clock.advance(60_000);
  expect(lines).toContain("job-7: reportStoppedOutput dropped: its migration is not in progress any more");
  const second = await lose();
  second.acknowledgeV2();
  expect(second.answersV2).toEqual([TOLD]);
  const third = await lose();
  third.acknowledgeV2();
  expect(third.answersV2).toEqual([TOLD]);
  third.fireFrame({ type: "report-ack", seq: 3 });
  const fourth = await lose();
  fourth.acknowledgeV2();
  expect(fourth.answersV2).toEqual([]);
});

test("later commands of that migration change nothing, and nothing more is reported of it", async () => {
  const { client, socket, clock, lose, calls } = await stopped();
  socket.fireClose(1006);
  await clock.advance(60_000);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(CUTOVER_READY, GET_STATE, { ...ABORT, epoch: 7 });
  await turn();
  client.reportStoppedOutput(6);
  expect(calls).toEqual([RESUMED]);
  expect(next.answersV2).toEqual([TOLD]);
});

test("the worker's abort is delivered where it brings a newer epoch: the target may have written under its own", async () => {
  const { socket, clock, lose, calls } = await stopped();
  socket.fireClose(1006);
  await clock.advance(60_000);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(ABORT, ABORT);
  await turn();
  expect(calls).toEqual([RESUMED, ["onAbort", ABORT.reason, "m-1", 9]]);
});

test("a commit is still delivered: the source learns that it has lost", async () => {
  const { client, socket, clock, lose, calls } = await stopped();
  socket.fireClose(1006);
  await clock.advance(60_000);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame(COMMITTED, COMMITTED, ABORT);
  await turn();
  expect(calls).toEqual([RESUMED, ["onCommitted", "m-1"]]);
  expect(client).toMatchObject({ role: "source", migrationId: undefined });
});

test.each([ABORT, COMMITTED])("once the worker's $type has arrived, nothing follows from its silence", async (end) => {
  const { socket, clock, calls } = await stopped();
  socket.fireFrame(end);
  await turn();
  socket.fireClose(1006);
  await clock.advance(600_000);
  expect(calls).toHaveLength(1);
});

test("a source that has given up itself waits for the worker's abort as well, and resumes without it", async () => {
  const { client, socket, clock, lose, calls } = await stopped();
  socket.fireFrame({ type: "report-ack", seq: 1 }, { type: "report-ack", seq: 2 });
  client.abort("enough");
  socket.fireClose(1006);
  await clock.advance(60_000);
  expect(calls).toEqual([RESUMED]);
  const next = await lose();
  next.acknowledgeV2();
  expect(next.answersV2).toEqual([{ ...TOLD, seq: 4 }]);
});

test("close leaves no timer of a source that waits", async () => {
  const { client, socket, clock } = await stopped();
  socket.fireClose(1006);
  client.close();
  expect(clock.pending).toBe(0);
});

test("onAbort does not wait for a handler that still runs: its signal fires, as for an abort of the worker", async () => {
  const signals: AbortSignal[] = [];
  const { client, socket, clock, calls } = await stopped(
    connectedV2,
    {},
    {
      onCutoverReady: (_payload, _id, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    },
  );
  client.reportStoppedOutput(5);
  socket.fireClose(1006);
  await clock.advance(60_000);
  expect(signals[0]?.reason).toMatchObject({ code: "aborted", message: REASON });
  await clock.advance(1_000);
  expect(calls).toEqual([RESUMED]);
});

test("the next handover is as any other", async () => {
  const { client, socket, clock, lose } = await stopped();
  socket.fireClose(1006);
  await clock.advance(60_000);
  const next = await lose();
  next.acknowledgeV2();
  next.fireFrame({ ...GET_STATE, migrationId: "m-2" }, { ...CUTOVER_READY, migrationId: "m-2" });
  await turn();
  expect(client.migrationId).toBe("m-2");
  expect(next.answersV2.slice(-2)).toMatchObject([
    { type: "state", migrationId: "m-2" },
    { type: "source-stopped-output", migrationId: "m-2" },
  ]);
});
