import { expect, it } from "vitest";
import { encodeManifestLabel, MANIFEST_LABEL, readManifestLabel } from "./label.js";
import { parseManifest } from "./parse-manifest.js";

const written = { $schema: "./manifest.schema.json", schemaVersion: 2, name: "encoder", title: "Übertragung 🎬" };

it("says in an image what its author wrote", () => {
  const text = encodeManifestLabel(written);
  expect(text).toBe('{"schemaVersion":2,"name":"encoder","title":"Übertragung 🎬"}');
  expect(readManifestLabel(text)).toEqual({ manifest: parseManifest(written), unknownKeys: [] });
  expect(MANIFEST_LABEL).toBe("changeover.manifest");
});

it("takes what parseManifest returns as well", () => {
  const manifest = parseManifest(written);
  expect(readManifestLabel(encodeManifestLabel(manifest)).manifest).toEqual(manifest);
});

it("is written only of a manifest without mistakes, and read with tolerance", () => {
  expect(() => encodeManifestLabel({ ...written, titel: "" })).toThrow("titel: is unknown; did you mean title?");
  expect(readManifestLabel('{"schemaVersion":2,"name":"encoder","novelty":1}').unknownKeys).toEqual(["novelty"]);
});

it.each([
  ["{", "label changeover.manifest: is not JSON; build the image with the text that encodeManifestLabel returns"],
  [
    JSON.stringify({ ...written, title: "ü".repeat(33_000) }),
    "label changeover.manifest: has 66082 bytes, and at most 65536 are read; " +
      "build the image with the text that encodeManifestLabel returns",
  ],
])("says what is wrong with a text that is none", (text, message) => {
  expect(() => readManifestLabel(text)).toThrow(expect.objectContaining({ code: "invalid-label", message }));
});

it("is not written longer than it is read", () => {
  expect(() => encodeManifestLabel({ ...written, title: "x".repeat(70_000) })).toThrow(
    "at most 65536 are read; move what is long out of it, such as texts of files",
  );
});
