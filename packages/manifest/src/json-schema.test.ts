import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";
import { isRecord } from "./problems.js";
import { manifestSchema } from "./schema/schema.js";
import { MANIFEST_SCHEMA_ID } from "./schema-version.js";

/** Says of every object what zod leaves to `sift`: that it takes no other keys, but extensions. */
function closed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(closed);
  if (!isRecord(json)) return json;
  const { propertyNames, additionalProperties, ...others } = json;
  const inner = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, closed(value)]));
  if (json["type"] !== "object") return inner;
  const names = isRecord(propertyNames) ? { [String(propertyNames["pattern"])]: closed(additionalProperties) } : {};
  return { ...inner, patternProperties: { ...names, "^x-": {} }, additionalProperties: false };
}

const { $schema, ...written } = z.toJSONSchema(manifestSchema, { io: "input", target: "draft-2020-12" });
const schema = {
  $schema,
  $id: MANIFEST_SCHEMA_ID,
  title: "Changeover product manifest",
  ...Object(closed(written)),
};
const isValid = new Ajv2020({ strict: true, allowMatchingProperties: true }).compile(schema);

const folder = new URL("../fixtures/v2/", import.meta.url);
const fixtures = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
const [complete] = fixtures;

function isParsed(manifest: unknown): boolean {
  try {
    parseManifest(manifest);
    return true;
  } catch (error) {
    if (ManifestError.isInstance(error)) return false;
    throw error;
  }
}

// After a change of the schema: npx vitest run -u.
it("json-schema/manifest.v2.json says what the schema says", async () => {
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../json-schema/manifest.v2.json");
});

it.each(fixtures)("takes the fixtures of its version", (fixture) => {
  isValid(fixture);
  expect(isValid.errors).toBeNull();
});

it("tells an editor what every field means and what it is by default", () => {
  const { properties } = schema;
  expect(Object.keys(properties)).toContain("handover");
  for (const field of Object.values(properties)) expect(field).toHaveProperty("description");
  expect(properties["health"]).toMatchObject({ properties: { intervalMs: { default: 10_000 } } });
  expect(properties["ports"]).toMatchObject({
    properties: { control: { default: 4321, description: expect.stringContaining("health") } },
  });
});

it.each([
  { titel: "Encoder" },
  { name: "x" },
  { parameters: { NORSK_TOKEN: {} } },
  { parameters: { A: { type: "number", default: "1" } } },
  { parameters: { A: { type: "number", secret: true } } },
  { parameters: { A: { type: "enum" } } },
  { ports: { Web: 80 } },
  { resources: { memory: "lots" } },
  { health: { path: "/", interval: 5 } },
  { files: { a: { path: "../etc" } } },
  { handover: { supported: true, deadlinesMs: { commit: 5 } } },
  { privileges: ["NET_BIND_SERVCE"] },
])("refuses %j, as parseManifest does", (change) => {
  expect(isValid({ ...complete, ...change })).toBe(false);
  expect(isParsed({ ...complete, ...change })).toBe(false);
});

it("never refuses what parseManifest takes of this version", () => {
  const keys = fc.constantFrom(...Object.keys(schema.properties), "path", "type", "default", "x-a", "A", "web");
  const value = fc.oneof(
    fc.constantFrom("512m", "/a", "string", "number", "required", "h264", true, false, 0, 1, 80, 1.5, null, "", []),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const { object } = fc.letrec<{ node: unknown; object: Record<string, unknown> }>((tie) => ({
    node: fc.oneof({ depthSize: "small" }, value, tie("object")),
    object: fc.dictionary(keys, tie("node"), { maxKeys: 3 }),
  }));
  const property = fc.property(fc.constantFrom(...fixtures), object, (fixture, change) => {
    const manifest = { ...fixture, ...change, schemaVersion: 2 };
    return !isParsed(manifest) || isValid(manifest);
  });
  expect(fc.check(property, { numRuns: 1_000 }).counterexample).toBeNull();
});
