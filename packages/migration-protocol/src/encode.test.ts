import { describe, expect, it } from "vitest";
import jobToWorker from "../fixtures/v1/job-to-worker.json" with { type: "json" };
import { encodeJobToWorkerFrame, encodeWorkerToJobFrame } from "./encode.js";
import { parseJobToWorkerFrame } from "./parsers.js";

describe("encoders", () => {
  it.each(Object.entries(jobToWorker))("write what the parser reads: %s", (_fixture, frame) => {
    const parsed = parseJobToWorkerFrame(JSON.stringify(frame));
    if (!parsed.ok) throw new Error(parsed.reason);
    expect(JSON.parse(encodeJobToWorkerFrame(parsed.message))).toEqual(frame);
  });

  it("send undefined as null, because a payload is required", () => {
    expect(JSON.parse(encodeWorkerToJobFrame({ type: "initial-state", migrationId: "m", payload: undefined }))).toEqual(
      {
        type: "initial-state",
        migrationId: "m",
        payload: null,
      },
    );
  });

  it("keep text that JSON must escape", () => {
    const payload = { text: 'quote " backslash \\ newline \n 🎬 \u2028 lone \ud800' };
    const encoded = encodeJobToWorkerFrame({ type: "state", payload });
    expect(JSON.parse(encoded)).toEqual({ type: "state", payload });
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  it.each([
    ["a BigInt", 1n],
    ["a cycle", cyclic],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a toJSON that throws", { toJSON: () => { throw new TypeError("no"); } }], // prettier-ignore
    ["a toJSON that vanishes", { toJSON: () => undefined }],
  ])("throw on %s instead of sending a frame without its payload", (_name, payload) => {
    expect(() => encodeJobToWorkerFrame({ type: "state", payload })).toThrow(TypeError);
  });
});
