import { expect, it } from "vitest";
import { parseManifest } from "./parse-manifest.js";
import { readManifest } from "./read-manifest.js";

const known = {
  schemaVersion: 2,
  name: "encoder",
  parameters: { A: {} },
  accelerator: { mode: "required" },
  health: { path: "/" },
};

it("leaves out what it does not know, and lists it", () => {
  const { manifest, unknownKeys } = readManifest({
    ...known,
    novelty: { deep: true },
    parameters: { A: { unit: "kbit/s" } },
    accelerator: { mode: "required", count: 2 },
    health: { path: "/", grpc: true },
    "x-team": "video",
  });
  expect(manifest).toEqual(parseManifest({ ...known, "x-team": "video" }));
  expect(unknownKeys).toEqual(["parameters.A.unit", "accelerator.count", "health.grpc", "novelty"]);
});

it("lists nothing where it knows all", () => {
  expect(readManifest(known)).toEqual({ manifest: parseManifest(known), unknownKeys: [] });
});

it("is not tolerant of what it knows and is wrong", () => {
  expect(() => readManifest({ ...known, novelty: 1, health: { path: "x" } })).toThrow(
    'manifest "encoder": health.path: must be a path that starts with "/"',
  );
});

it("takes none of a newer version", () => {
  expect(() => readManifest({ schemaVersion: 3 })).toThrow(
    expect.objectContaining({ code: "unsupported-schema-version" }),
  );
});
