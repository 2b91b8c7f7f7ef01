import { afterAll, describe, expect, it } from "vitest";
import { watchTable } from "./model/coverage.js";
import { search, type Result } from "./model/search.js";
import type { Setting } from "./model/world.js";

/** `npm run check:model` allows one fault more where most can happen. */
const more = process.env["CHANGEOVER_MODEL"] === "large" ? 1 : 0;

const usual: Setting = {
  versions: [2],
  sourceLost: "promote",
  onIndeterminate: "hold",
  resumesAlone: false,
  faults: 1,
  handovers: 2,
};

/** A handover that ends as indeterminate takes three faults: these are the ones that matter. */
const doubt: Setting = { ...usual, faults: 3, handovers: 1, only: /deadline|removing|^the worker is killed$/ };

const settings: Record<string, Setting> = {
  "faults in one handover": { ...usual, faults: 2 + more, handovers: 1 },
  "faults in two handovers": { ...usual, faults: 1 + more },
  "an end where the source dies": { ...usual, sourceLost: "abort" },
  "a target that cannot be removed": doubt,
  "a source that resumes beside a target in doubt": { ...doubt, onIndeterminate: "resume" },
  "a disk that stays full": { ...usual, faults: 3, handovers: 1, only: /disk|^p0 is killed/ },
  "a source that resumes when it hears nothing": { ...usual, resumesAlone: true, handovers: 1 },
  "version 1 on both sides": { ...usual, versions: [1], faults: 1 + more },
  "from version 1 to version 2 and back": { ...usual, versions: [1, 2] },
  "from version 2 to version 1 and back": { ...usual, versions: [2, 1] },
};

const table = watchTable();
const results = new Map<string, Result>();

describe("client and worker together, exhaustively", () => {
  const startedAt = performance.now();

  it.each(Object.entries(settings))(
    "keep every promise: %s",
    (name, setting) => {
      const result = search(setting);
      results.set(name, result);
      expect(result.broken).toBeUndefined();
    },
    3_600_000,
  );

  it("use every entry of the transition table", () => {
    expect(table.unused()).toEqual([]);
  });

  it("come to every end that a handover can have", () => {
    const ends = new Set([...results.values()].flatMap((result) => [...result.ends]));
    expect([...ends].toSorted()).toEqual(["aborted", "completed", "indeterminate", "refused"]);
  });

  afterAll(() => {
    const count = (of: (result: Result) => number): string =>
      [...results.values()].reduce((sum, result) => sum + of(result), 0).toLocaleString("en");
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const searched = `${count(({ states }) => states)} states, ${count(({ steps }) => steps)} steps`;
    process.stdout.write(`model: ${searched}, ${results.size} settings, in ${seconds} s\n`);
  });
});
