import { expect, test } from "vitest";
import {
  addReport,
  EMPTY_OUTBOX,
  removeReports,
  replaceReport,
  type OutboxReport,
  type OutboxState,
} from "./outbox.js";

function report(text: string): Omit<OutboxReport, "seq"> {
  return { type: "target-ready", migrationId: "m-1", method: "reportReady", text };
}

const add = (outbox: OutboxState, text: string): OutboxState => addReport(outbox, report(text));
const withReports = (...texts: string[]): OutboxState => texts.reduce(add, EMPTY_OUTBOX);
const texts = ({ reports }: OutboxState): string[] => reports.map(({ seq, text }) => `${seq}${text}`);

test("reports keep their order and are counted from 1", () => {
  expect(withReports("a").reports).toEqual([{ ...report("a"), seq: 1 }]);
  const outbox = withReports("a", "b");
  expect(texts(outbox)).toEqual(["1a", "2b"]);
  expect(texts(add(outbox, "c"))).toEqual(["1a", "2b", "3c"]);
});

test("what is removed is gone, the rest stays, and no number is given twice", () => {
  const state = removeReports(withReports("a", "b", "c"), ({ seq }) => seq !== 2);
  expect(removeReports(state, ({ seq }) => seq === 3)).toEqual(state);
  expect(texts(add(state, "d"))).toEqual(["2b", "4d"]);
});

test("a replacement takes the place and the number, and replaces nothing that is gone", () => {
  const first = { ...report("a"), seq: 1 };
  const replaced = replaceReport(withReports("a", "b"), { ...first, text: "x" });
  expect(texts(replaced)).toEqual(["1x", "2b"]);
  const state = removeReports(replaced, ({ seq }) => seq === 1);
  expect(texts(replaceReport(state, { ...first, text: "y" }))).toEqual(["2b"]);
});
