import { expect, test } from "vitest";
import { Outbox, type OutboxReport } from "./outbox.js";

const migration = { id: "m-1", role: "target", seen: new Set<never>(), endedBy: undefined } as const;

function report(text: string): Omit<OutboxReport, "seq"> {
  return { type: "target-ready", migration, method: "reportReady", text };
}

const texts = (outbox: Outbox): string[] => outbox.reports.map(({ seq, text }) => `${seq}${text}`);

test("reports keep their order and are counted from 1", () => {
  const outbox = new Outbox();
  expect(outbox.nextSeq).toBe(1);
  expect(outbox.add(report("a"))).toEqual({ ...report("a"), seq: 1 });
  outbox.add(report("b"));
  expect(texts(outbox)).toEqual(["1a", "2b"]);
  expect(outbox.nextSeq).toBe(3);
});

test("what is removed is returned in order, the rest stays, and no number is given twice", () => {
  const outbox = new Outbox();
  for (const text of ["a", "b", "c"]) outbox.add(report(text));
  expect(outbox.remove(({ seq }) => seq !== 2).map(({ text }) => text)).toEqual(["a", "c"]);
  expect(outbox.remove(({ seq }) => seq === 3)).toEqual([]);
  outbox.add(report("d"));
  expect(texts(outbox)).toEqual(["2b", "4d"]);
});

test("a replacement takes the place and the number, and replaces nothing that is gone", () => {
  const outbox = new Outbox();
  const first = outbox.add(report("a"));
  outbox.add(report("b"));
  outbox.replace({ ...first, text: "x" });
  expect(texts(outbox)).toEqual(["1x", "2b"]);
  outbox.remove(({ seq }) => seq === 1);
  outbox.replace({ ...first, text: "y" });
  expect(texts(outbox)).toEqual(["2b"]);
});

test("a list that was taken does not change while reports are removed", () => {
  const outbox = new Outbox();
  outbox.add(report("a"));
  outbox.add(report("b"));
  const seen: number[] = [];
  for (const { seq } of outbox.reports) {
    seen.push(seq);
    outbox.remove((each) => each.seq === seq);
  }
  expect(seen).toEqual([1, 2]);
  expect(outbox.reports).toEqual([]);
});
