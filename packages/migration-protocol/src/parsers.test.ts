import { describe, expect, it } from "vitest";
import jobToWorker from "../fixtures/v1/job-to-worker.json" with { type: "json" };
import workerToJob from "../fixtures/v1/worker-to-job.json" with { type: "json" };
import * as compiled from "./compiled.js";
import * as plain from "./parsers.js";
import { jobToWorkerFrame, workerToJobFrame } from "./schemas.js";

describe.each([
  ["plain", plain],
  ["compiled", compiled],
])("the %s parsers", (_name, { parseJobToWorkerFrame, parseWorkerToJobFrame }) => {
  it.each(Object.entries(jobToWorker))("read the job's %s as it is", (_fixture, frame) => {
    expect(parseJobToWorkerFrame(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it.each(Object.entries(workerToJob))("read the worker's %s as it is", (_fixture, frame) => {
    expect(parseWorkerToJobFrame(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it("drop fields that they do not know", () => {
    const text = '{"type":"hello","token":"t","protocol":7,"session":{"a":1}}';
    expect(parseJobToWorkerFrame(text)).toEqual({ ok: true, message: { type: "hello", token: "t" } });
  });

  it("hand on every kind of JSON payload", () => {
    for (const payload of [null, 0, -1.5, "", "text", true, [], [1, [2]], {}, { a: { b: [null] } }]) {
      const frame = { type: "target-ready", payload };
      expect(parseJobToWorkerFrame(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
    }
  });

  it("keep a payload with a __proto__ field from reaching any prototype", () => {
    const result = parseJobToWorkerFrame('{"type":"state","payload":{"__proto__":{"polluted":1}},"__proto__":{"x":1}}');
    expect(result.ok).toBe(true);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(result.ok && "x" in result.message).toBe(false);
  });

  it.each([
    ["", "the frame is not JSON"],
    ['{"type":"hello"', "the frame is not JSON"],
    ["[]", "the frame is not a JSON object"],
    ["null", "the frame is not a JSON object"],
    ['"hello"', "the frame is not a JSON object"],
    ["{}", 'the frame has no string field "type"'],
    ['{"type":7}', 'the frame has no string field "type"'],
    ['{"type":"hello"}', 'hello: "token" is missing or not of type string'],
    ['{"type":"hello","token":5}', 'hello: "token" is missing or not of type string'],
    ['{"type":"state"}', 'state: "payload" is missing'],
    ['{"type":"abort","reason":null}', 'abort: "reason" is missing or not of type string'],
  ])("refuse %s", (text, reason) => {
    expect(parseJobToWorkerFrame(text)).toEqual({ ok: false, reason });
  });

  it("name a frame type that they do not know, shortened", () => {
    expect(parseWorkerToJobFrame('{"type":"committed"}')).toEqual({
      ok: false,
      reason: 'unknown frame type "committed"',
      unknownType: "committed",
    });
    const long = parseWorkerToJobFrame(JSON.stringify({ type: "x".repeat(500) }));
    expect(!long.ok && long.reason.length).toBeLessThan(80);
  });

  it("never repeat a token in a reason", () => {
    const result = parseJobToWorkerFrame('{"type":"hello","token":["very-secret"]}');
    expect(JSON.stringify(result)).not.toContain("very-secret");
  });

  it("name the path of a nested field", () => {
    expect(parseWorkerToJobFrame('{"type":"hello-ack","migration":{}}')).toEqual({
      ok: false,
      reason: 'hello-ack: "migration.id" is missing or not of type string',
    });
  });
});

it("has a fixture of every frame", () => {
  const types = (schema: typeof jobToWorkerFrame | typeof workerToJobFrame): unknown[] =>
    schema.def.options.flatMap((option) => [...(option._zod.propValues?.["type"] ?? [])]);
  expect(types(jobToWorkerFrame).length).toBe(7);
  expect(types(workerToJobFrame).length).toBe(6);
  expect(new Set(Object.values(jobToWorker).map((frame) => frame.type))).toEqual(new Set(types(jobToWorkerFrame)));
  expect(new Set(Object.values(workerToJob).map((frame) => frame.type))).toEqual(new Set(types(workerToJobFrame)));
});
