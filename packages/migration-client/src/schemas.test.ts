import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { declaredV2, jobOf } from "../test/declared-job.js";
import { turn } from "../test/harness.js";
import { connectHandover } from "./connect-handover.js";
import type { StandardSchema } from "./standard-schema.js";

interface Players {
  players: { name: string }[];
}

const libraries: [string, StandardSchema<Players>][] = [
  ["zod", z.object({ players: z.array(z.object({ name: z.string() })) })],
  ["valibot", v.object({ players: v.array(v.object({ name: v.string() })) })],
  ["arktype", type({ players: type({ name: "string" }).array() })],
];

const GET_STATE = { type: "get-state", migrationId: "m-1", epoch: 7 } as const;
const INITIAL_STATE = { type: "initial-state", migrationId: "m-1", epoch: 8, payload: 1 } as const;
const CUTOVER_READY = { type: "cutover-ready", migrationId: "m-1", epoch: 8, payload: 2 } as const;
const CUTOVER_APPLY = { type: "cutover-apply", migrationId: "m-1", epoch: 8, payload: 3 } as const;

describe.each(libraries)("a schema of %s", (_, state) => {
  test("lets a good state pass, there and here", async () => {
    const good = { players: [{ name: "Ada" }] };
    const source = declaredV2(jobOf({ getState: () => good }), { schemas: { state } });
    source.socket.fireFrame(GET_STATE);
    const adopted: unknown[] = [];
    const target = declaredV2(jobOf({ adopt: (value) => adopted.push(value) }), { target: "m-1", schemas: { state } });
    target.socket.fireFrame({ ...INITIAL_STATE, payload: good });
    await turn();
    expect(source.socket.answersV2).toMatchObject([{ type: "state", payload: good }]);
    expect(adopted).toEqual([good]);
  });

  test("refuses a state that does not validate, and says where", async () => {
    const { socket } = declaredV2(jobOf({ getState: () => ({ players: [{ name: 7 }] }) }), { schemas: { state } });
    socket.fireFrame(GET_STATE);
    await turn();
    const reason: unknown = expect.stringMatching(/^getState failed: state\.players\.0\.name: .*string/);
    expect(socket.answersV2).toEqual([{ type: "state-refused", migrationId: "m-1", seq: 1, reason }]);
  });

  test("ends a handover whose state cannot be adopted, and says where", async () => {
    const { socket } = declaredV2(jobOf(), { target: "m-1", schemas: { state } });
    socket.fireFrame({ ...INITIAL_STATE, payload: { players: "Ada" } });
    await turn();
    const reason: unknown = expect.stringMatching(/^adopt failed: state\.players: /);
    expect(socket.answersV2).toEqual([{ type: "abort", migrationId: "m-1", seq: 1, reason }]);
  });
});

test.each([
  ["that adopt has returned", "m-1", INITIAL_STATE, jobOf({ adopt: () => "x" }), "adopt"],
  ["that stopAt has returned", undefined, CUTOVER_READY, jobOf({ stopAt: () => "x" }), "stopAt"],
  ["that reaches stopAt", undefined, { ...CUTOVER_READY, payload: "x" }, jobOf(), "stopAt"],
  ["that reaches takeOver", "m-1", { ...CUTOVER_APPLY, payload: "x" }, jobOf(), "takeOver"],
])("a position %s and does not validate ends the handover", async (_, target, command, job, method) => {
  const { socket } = declaredV2(job, {
    schemas: { position: z.number() },
    ...(target === undefined ? {} : { target }),
  });
  socket.fireFrame(command);
  await turn();
  const reason = `${method} failed: position: Invalid input: expected number, received string`;
  expect(socket.answersV2).toEqual([{ type: "abort", migrationId: "m-1", seq: 1, reason }]);
});

test("what is sent is checked as the JSON that it becomes, and a method gets what the schema makes of it", async () => {
  const schemas = { state: z.object({ at: z.coerce.date() }) };
  const at = new Date("2026-12-01T00:00:00.000Z");
  const source = declaredV2(jobOf({ getState: () => ({ at }) }), { schemas });
  source.socket.fireFrame(GET_STATE);
  const adopted: unknown[] = [];
  const target = declaredV2(jobOf({ adopt: (state) => adopted.push(state) }), { schemas, target: "m-1" });
  await turn();
  const [answer] = source.socket.answersV2;
  expect(answer).toMatchObject({ type: "state", payload: { at: at.toISOString() } });
  target.socket.fireFrame({ ...INITIAL_STATE, payload: { at: at.toISOString() } });
  await turn();
  expect(adopted).toEqual([{ at }]);
});

test("a schema that is asynchronous does not let an instance stop or take over that was called off meanwhile", async () => {
  const settle: (() => void)[] = [];
  const slow: StandardSchema<unknown> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => new Promise((resolve) => settle.push(() => resolve({ value }))),
    },
  };
  const calls: string[] = [];
  const job = jobOf({
    takeOver: () => calls.push("takeOver"),
    stopAt: () => calls.push("stopAt"),
    resume: () => calls.push("resume"),
  });
  const target = declaredV2(job, { target: "m-1", schemas: { position: slow } });
  const source = declaredV2(job, { schemas: { position: slow } });
  target.socket.fireFrame(CUTOVER_APPLY);
  source.socket.fireFrame(CUTOVER_READY);
  await turn();
  const abort = { type: "abort", migrationId: "m-1", epoch: 9, reason: "enough" } as const;
  target.socket.fireFrame(abort);
  source.socket.fireFrame(abort);
  for (const done of settle) done();
  await turn();
  expect(settle).toHaveLength(2);
  expect(calls).toEqual([]);
});

test("state and position are inferred from the schemas", () => {
  const client = connectHandover(
    {
      getState: () => ({ n: 1 }),
      stopAt(position) {
        expectTypeOf(position).toEqualTypeOf<number>();
        return position;
      },
      resume() {},
      adopt(state) {
        expectTypeOf(state).toEqualTypeOf<{ n: number }>();
        return state.n;
      },
      takeOver() {},
    },
    {},
    { schemas: { state: z.object({ n: z.number() }), position: z.number() } },
  );
  expect(client.role).toBe("none");
});
