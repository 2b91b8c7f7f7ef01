import { inspect } from "node:util";
import { expect, it } from "vitest";
import { parseManifest } from "./parse-manifest.js";
import { resolveFiles, type FileValues } from "./resolve-files.js";
import { Secret } from "./secret.js";

const manifest = parseManifest({
  schemaVersion: 2,
  name: "encoder",
  files: { presets: { path: "/etc/presets.json", default: "{}" }, logo: { path: "/srv/logo.png" } },
  secrets: { license: { required: true } },
});

it("takes the instance over the template over the manifest, and leaves out what nobody gave", () => {
  const contents = (values: FileValues) =>
    Object.fromEntries(resolveFiles(manifest, values).map(({ name, content }) => [name, content]));
  const license = new Secret("hunter2");
  expect(contents({ instance: { license } })).toEqual({ presets: "{}", license });
  expect(contents({ template: { license, presets: "[]" }, instance: { presets: "" } })).toEqual({
    presets: "",
    license,
  });
  const logo = new Uint8Array([1, 2]);
  expect(contents({ instance: { license, logo } })).toEqual({ presets: "{}", logo, license });
});

it("says where they go, and hides the secret ones", () => {
  const files = resolveFiles(manifest, { instance: { license: "hunter2" } });
  expect(files.map(({ path }) => path)).toEqual(["/etc/presets.json", "/run/secrets/license"]);
  expect(files[1]?.content).toBeInstanceOf(Secret);
  expect(inspect(files) + JSON.stringify(files)).not.toContain("hunter2");
});

it("names all that is missing, unknown and unusable at once", () => {
  const values = { template: { preset: "{}" }, instance: { logo: 5, preset: "{}" } };
  expect(() => Reflect.apply(resolveFiles, undefined, [manifest, values])).toThrowErrorMatchingInlineSnapshot(`
    [ManifestError: files of "encoder":
      - preset: is unknown; did you mean presets?
      - logo: must be a string or a Uint8Array, not a number
      - license: is missing, and the product requires it at /run/secrets/license]
  `);
  const plain = parseManifest({ schemaVersion: 2, name: "plain" });
  expect(() => resolveFiles(plain, { instance: { a: "" } })).toThrow("a: is unknown: the product takes no files");
});
