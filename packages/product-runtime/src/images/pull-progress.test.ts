import { expect, it } from "vitest";
import { completed, NO_PROGRESS, withLine, type PullProgress } from "./pull-progress.js";

const line = (id: string, status: string, current?: number, total?: number): object => ({
  id,
  status,
  progressDetail: current === undefined ? {} : { current, total },
});

const after = (...lines: unknown[]): PullProgress => lines.reduce<PullProgress>(withLine, NO_PROGRESS);

it("follows a layer through its phases", () => {
  const lines = [
    line("a", "Pulling fs layer"),
    line("a", "Downloading", 25, 100),
    line("a", "Verifying Checksum"),
    line("a", "Download complete"),
    line("a", "Extracting", 50, 100),
    line("a", "Pull complete"),
  ];
  const seen = lines.map((_, end) => after(...lines.slice(0, end + 1)));
  expect(seen.map(({ layers: [layer] }) => [layer?.phase, layer?.currentBytes, layer?.totalBytes])).toEqual([
    ["waiting", 0, undefined],
    ["downloading", 25, 100],
    ["downloaded", 100, 100],
    ["downloaded", 100, 100],
    ["extracting", 50, 100],
    ["complete", 100, 100],
  ]);
  expect(seen.map(({ downloadedBytes }) => downloadedBytes)).toEqual([0, 25, 100, 100, 100, 100]);
  expect(seen.map(({ fraction }) => Number(fraction.toFixed(2)))).toEqual([0, 0.2, 0.8, 0.8, 0.9, 0.99]);
  expect(completed(after(...lines)).fraction).toBe(1);
});

it("weighs layers by their size, and those without one as the others", () => {
  const named = [line("big", "Pulling fs layer"), line("small", "Pulling fs layer")];
  const sized = [line("big", "Downloading", 300, 300), line("small", "Downloading", 1, 100)];
  expect(after(...named, ...sized).fraction).toBeCloseTo(0.602, 3);
  expect(after(line("x", "Waiting"), line("y", "Downloading", 100, 100)).fraction).toBeCloseTo(0.4, 3);
});

it("does not count what was there before as progress of this pull", () => {
  const progress = after(line("old", "Already exists"), line("new", "Pulling fs layer"));
  expect(progress).toMatchObject({ fraction: 0, downloadedBytes: 0 });
  expect(progress.layers.map(({ phase }) => phase)).toEqual(["complete", "waiting"]);
});

it("never goes back, whatever a late layer or a second try does to the sum", () => {
  const before = after(line("a", "Downloading", 90, 100));
  const retry = withLine(before, line("a", "Retrying in 5 seconds"));
  expect(retry.fraction).toBe(before.fraction);
  expect(retry.layers[0]).toMatchObject({ phase: "waiting", currentBytes: 0, status: "Retrying in 5 seconds" });
  expect(withLine(before, line("b", "Pulling fs layer")).fraction).toBe(before.fraction);
});

it("keeps what is said of the whole apart from the layers", () => {
  const progress = after({ status: "Pulling from x", id: "latest" }, { status: "Digest: sha256:1" });
  expect(progress).toMatchObject({ layers: [], status: "Digest: sha256:1" });
});

it.each([[null], ["text"], [{}], [{ status: 1, id: "a" }], [{ status: "" }]])("passes over %j", (odd) => {
  expect(withLine(NO_PROGRESS, odd)).toBe(NO_PROGRESS);
});

it("takes a total that the engine does not know for unknown", () => {
  expect(after(line("a", "Downloading", 10, -1)).layers[0]).toMatchObject({ currentBytes: 10, totalBytes: undefined });
});
