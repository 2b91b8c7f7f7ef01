import { expect, it } from "vitest";
import { manifestDifferences, type ManifestOrigins } from "./manifest-differences.js";
import { parseManifest } from "./parse-manifest.js";

function differences(label: object, served: object, origins?: ManifestOrigins): string[] {
  const [first, second] = [label, served].map((fields) => parseManifest({ schemaVersion: 2, name: "a1", ...fields }));
  if (first === undefined || second === undefined) throw new Error("unreachable");
  return manifestDifferences(first, second, origins).map(({ path, message }) => `${path}: ${message}`);
}

it("finds none between manifests that say the same in another order or by default", () => {
  expect(
    differences(
      { capabilities: ["a", "b"], ports: { control: 1, web: 2 }, resources: { memory: "1g" } },
      { resources: { memory: 1024 ** 3 }, ports: { web: 2, control: 1 }, capabilities: ["b", "a"] },
    ),
  ).toEqual([]);
  expect(differences({}, { accelerator: { mode: "fixed", value: "none" }, ports: {} })).toEqual([]);
});

it.each([
  [{ title: "A" }, { title: "B" }, `title: the image's label says "A", the product says "B"`],
  [{}, { ports: { web: 80 } }, "ports.web: the product says 80, the image's label says nothing"],
  [
    { health: { path: "/" } },
    {},
    `health: the image's label says {"path":"/","intervalMs":10000,"startupTimeoutMs":60000,"fai…, the product says nothing`,
  ],
  [{ capabilities: ["a", "b"] }, { capabilities: ["b"] }, 'capabilities: only the image\'s label lists "a"'],
  [{ "x-a": [1] }, { "x-a": [{ b: 1 }] }, "x-a: only the image's label lists 1"],
  [{ "x-a": 1 }, { "x-a": { b: 1 } }, `x-a: the image's label says 1, the product says {"b":1}`],
])("says how %j and %j differ", (label, served, words) => {
  expect(differences(label, served)[0]).toBe(words);
});

it("names both as it is told", () => {
  expect(differences({ title: "A" }, { title: "B" }, { first: "version 1", second: "version 2" })).toEqual([
    'title: version 1 says "A", version 2 says "B"',
  ]);
});

it("shows no default of a parameter that one of them keeps secret", () => {
  expect(
    differences({ parameters: { KEY: { default: "hunter2" } } }, { parameters: { KEY: { secret: true } } }).toSorted(),
  ).toEqual([
    "parameters.KEY.default: the image's label and the product do not say the same",
    "parameters.KEY.secret: the image's label says false, the product says true",
  ]);
});
