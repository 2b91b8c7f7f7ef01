import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { migrateManifest } from "./migrate-manifest.js";
import { MIGRATIONS } from "./migrations/migrations.js";
import { parseManifest } from "./parse-manifest.js";
import { SCHEMA_VERSION } from "./schema-version.js";

const folder = (version: number): URL => new URL(`../fixtures/v${version}/`, import.meta.url);
const fixture = (version: number, name: string) => JSON.parse(readFileSync(new URL(name, folder(version)), "utf8"));
const older = MIGRATIONS.flatMap((migrate, index) =>
  readdirSync(folder(index + 1)).map((name) => ({ name, version: index + 1, migrate })),
);

it("has a migration for every version before this one", () => {
  expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION - 1);
});

describe.each(older)("$name of version $version", ({ version, name, migrate }) => {
  const written = fixture(version, name);

  it("becomes that of the next version", () => {
    expect({ ...migrate(written), schemaVersion: version + 1 }).toEqual(fixture(version + 1, name));
  });

  it("comes to the current version, is right there, and stays as it is", () => {
    const copy = structuredClone(written);
    const current = migrateManifest(written);
    expect(current).toEqual(fixture(SCHEMA_VERSION, name));
    expect(parseManifest(written)).toEqual(parseManifest(current));
    expect(written).toEqual(copy);
  });
});

// Manifests of these versions are in images that nobody builds again. Add fixtures; never change one.
it.each([
  [1, "encoder.json", "6b7e1ffcd20965360ecfae050f345b11d04f381bf17112b7d460d0165adbf0a7"],
  [1, "minimal.json", "bb526b00fa84304efa8f2ac071cc712b447a75a1eea8586a7f8f1e7b907d2dae"],
])("the fixture v%i/%s is frozen", (version, name, digest) => {
  const text = readFileSync(new URL(name, folder(version)), "utf8").replaceAll("\r\n", "\n");
  expect(createHash("sha256").update(text).digest("hex")).toBe(digest);
});

it("leaves a manifest of the current version alone", () => {
  const written = fixture(SCHEMA_VERSION, "complete.json");
  expect(migrateManifest(written)).toEqual(written);
});

it("changes only what it knows, mistakes and extensions included", () => {
  const written = { schemaVersion: 1, name: 5, parameters: { A: "x" }, health: true, "x-team": "video", titel: "" };
  expect(migrateManifest(written)).toEqual({ ...written, schemaVersion: 2 });
});

it.each([
  [
    { schemaVersion: 3, name: "encoder" },
    "unsupported-schema-version",
    'manifest "encoder": schemaVersion: is 3, and this version of @changeover/manifest reads up to 2: ' +
      "update it to one that reads this manifest",
  ],
  [{ name: "encoder" }, "invalid-manifest", 'manifest "encoder": schemaVersion: is missing; it must be 2'],
  [{ schemaVersion: 0 }, "invalid-manifest", "manifest: schemaVersion: must be a whole number from 1 to 2, not 0"],
  [{ schemaVersion: "1" }, "invalid-manifest", 'manifest: schemaVersion: must be a whole number from 1 to 2, not "1"'],
  [[], "invalid-manifest", "manifest: must be a JSON object, not an array"],
])("refuses %j", (input, code, message) => {
  expect(() => migrateManifest(input)).toThrow(expect.objectContaining({ code, message }));
});
