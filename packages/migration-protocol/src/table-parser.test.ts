import * as fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import jobToWorker from "../fixtures/v1/job-to-worker.json" with { type: "json" };
import workerToJob from "../fixtures/v1/worker-to-job.json" with { type: "json" };
import jobToWorkerV2 from "../fixtures/v2/job-to-worker.json" with { type: "json" };
import workerToJobV2 from "../fixtures/v2/worker-to-job.json" with { type: "json" };
import * as parsers from "./parsers.js";
import { schemaParser } from "./schema-parser.js";
import * as schemas from "./schemas.js";

const frames = [jobToWorker, workerToJob, jobToWorkerV2, workerToJobV2].flatMap((each): object[] =>
  Object.values(each),
);
const names = [...new Set(frames.flatMap(namesIn)), "__proto__", "constructor", "colour"];

/** As text, because JavaScript would write some of these in another way. */
const wrongValues = [
  'null true "" "text" {} [] [{"id":"m"}] {"id":7} {"id":"m","x":1} {"maxFrameBytes":-1}',
  '{"maxFrameBytes":1,"id":null} {"__proto__":{"id":"m","maxFrameBytes":1}}',
  "0 -0 1 -1 1.5 -1.5 1e999 -1e999 1e300 -1e300",
  "9007199254740991 9007199254740992 -9007199254740991 -9007199254740992",
].flatMap((line) => line.split(" "));

describe.each([
  ["parseJobToWorkerFrame", parsers.parseJobToWorkerFrame, schemaParser(schemas.jobToWorkerFrame)],
  ["parseWorkerToJobFrame", parsers.parseWorkerToJobFrame, schemaParser(schemas.workerToJobFrame)],
  ["parseJobToWorkerFrameV2", parsers.parseJobToWorkerFrameV2, schemaParser(schemas.jobToWorkerFrameV2)],
  ["parseWorkerToJobFrameV2", parsers.parseWorkerToJobFrameV2, schemaParser(schemas.workerToJobFrameV2)],
])("%s says what zod says", (_name, parse, parseWithZod) => {
  const differs = (text: string): boolean => {
    const [ours, zods] = [parse(text), parseWithZod(text)];
    // Written out for the order of the fields, which is no difference otherwise.
    return !isDeepStrictEqual(ours, zods) || JSON.stringify(ours) !== JSON.stringify(zods);
  };

  it("of every fixture, whoever sends it in whichever version", () => {
    expect(frames.map((frame) => JSON.stringify(frame)).filter(differs)).toEqual([]);
  });

  it("of every fixture with fields removed, wrong or unknown", () => {
    const texts = new Set(frames.flatMap(mutations));
    expect(texts.size).toBeGreaterThan(5_000);
    expect([...texts].filter(differs)).toEqual([]);
  });

  it("of random JSON, and of frames with random fields", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const value = fc.oneof(json, fc.integer(), fc.double(), fc.string());
    const fields = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.constant(undefined)), { maxKeys: 6 });
    const frame = fc.tuple(fc.constantFrom(...frames), fields).map(([known, changed]) => ({ ...known, ...changed }));
    const texts = fc.oneof(
      fc.string(),
      fc.oneof(json, fc.dictionary(fc.constantFrom(...names), value), frame, frame).map((any) => JSON.stringify(any)),
    );
    const property = fc.property(texts, (text) => !differs(text));
    expect(fc.check(property, { numRuns: 5_000 }).counterexample).toBeNull();
  });
});

/** The texts of a frame with a field removed, wrong or unknown, and with two that are wrong: the first one is named. */
function mutations(frame: object): string[] {
  const fields = Object.entries(frame).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const write = (changes: Readonly<Record<string, string>>): string => {
    const kept = fields.filter(([name]) => !(name in changes));
    const entries = [...kept, ...Object.entries(changes)].filter(([, text]) => text !== "");
    return `{${entries.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
  };
  return [
    ...names.flatMap((name) => ["", ...wrongValues].map((text) => write({ [name]: text }))),
    ...fields.flatMap(([name]) => fields.map(([other]) => write({ [name]: "-1", [other]: "-1.5" }))),
  ];
}

function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [name, ...namesIn(field)]);
}
