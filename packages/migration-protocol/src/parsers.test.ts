import { describe, expect, it } from "vitest";
import jobToWorker from "../fixtures/v1/job-to-worker.json" with { type: "json" };
import workerToJob from "../fixtures/v1/worker-to-job.json" with { type: "json" };
import jobToWorkerV2 from "../fixtures/v2/job-to-worker.json" with { type: "json" };
import workerToJobV2 from "../fixtures/v2/worker-to-job.json" with { type: "json" };
import * as compiled from "./compiled.js";
import * as plain from "./parsers.js";
import { jobToWorkerFrame, jobToWorkerFrameV2, workerToJobFrame, workerToJobFrameV2 } from "./schemas.js";

describe.each([
  ["plain", plain],
  ["compiled", compiled],
])("the %s parsers", (_name, parsers) => {
  const { parseJobToWorkerFrame, parseWorkerToJobFrame, parseJobToWorkerFrameV2, parseWorkerToJobFrameV2 } = parsers;

  it.each(Object.entries(jobToWorker))("read the job's %s as it is", (_fixture, frame) => {
    expect(parseJobToWorkerFrame(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it.each(Object.entries(workerToJob))("read the worker's %s as it is", (_fixture, frame) => {
    expect(parseWorkerToJobFrame(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it.each(Object.entries(jobToWorkerV2))("read the job's %s of version 2 as it is", (_fixture, frame) => {
    expect(parseJobToWorkerFrameV2(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it.each(Object.entries(workerToJobV2))("read the worker's %s of version 2 as it is", (_fixture, frame) => {
    expect(parseWorkerToJobFrameV2(JSON.stringify(frame))).toEqual({ ok: true, message: frame });
  });

  it("read the hello of a newer client, for what it is to be spoken to in", () => {
    const text = '{"type":"hello","token":"t","protocol":7,"session":"s","colour":"red"}';
    const message = { type: "hello", token: "t", protocol: 7, session: "s" };
    expect(parseJobToWorkerFrame(text)).toEqual({ ok: true, message });
  });

  it("want the migration and a sequence number of a report of version 2", () => {
    expect(parseJobToWorkerFrameV2('{"type":"target-applied","migrationId":"m-1"}')).toEqual({
      ok: false,
      reason: 'target-applied: "seq" is missing or not of type uint',
    });
    expect(parseJobToWorkerFrame('{"type":"target-applied","migrationId":"m-1","seq":1}')).toEqual({
      ok: true,
      message: { type: "target-applied" },
    });
  });

  it("drop fields that they do not know", () => {
    const text = '{"type":"target-applied","colour":"red"}';
    expect(parseJobToWorkerFrame(text)).toEqual({ ok: true, message: { type: "target-applied" } });
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
    ["[]", 'the frame is not a JSON object with a string "type"'],
    ["null", 'the frame is not a JSON object with a string "type"'],
    ['"hello"', 'the frame is not a JSON object with a string "type"'],
    ["{}", 'the frame is not a JSON object with a string "type"'],
    ['{"type":7}', 'the frame is not a JSON object with a string "type"'],
    ['{"type":"hello"}', 'hello: "token" is missing or not of type string'],
    ['{"type":"hello","token":5}', 'hello: "token" is missing or not of type string'],
    ['{"type":"state"}', 'state: "payload" is missing or not of type json'],
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

describe("the fixtures", () => {
  it.each([
    ["the job's, version 1", jobToWorkerFrame, jobToWorker, 7],
    ["the worker's, version 1", workerToJobFrame, workerToJob, 6],
    ["the job's, version 2", jobToWorkerFrameV2, jobToWorkerV2, 9],
    ["the worker's, version 2", workerToJobFrameV2, workerToJobV2, 10],
  ])("hold every frame: %s", (_name, schema, fixtures, count) => {
    const types = schema.def.options.flatMap((option) => [...(option._zod.propValues?.["type"] ?? [])]);
    expect(types.length).toBe(count);
    expect(new Set(Object.values(fixtures).map((frame) => frame.type))).toEqual(new Set(types));
  });
});
