import { describe, expect, it } from "vitest";
import { parseManifest } from "./parse-manifest.js";
import { resolveParameters } from "./resolve-parameters.js";

const manifest = parseManifest({
  schemaVersion: 1,
  name: "encoder",
  parameters: {
    BITRATE: { default: "6000k" },
    PRESET: {},
    CODEC: { required: true },
    STREAM_KEY: { required: true, secret: true },
  },
});
const required = { CODEC: "h264", STREAM_KEY: "hunter2" };

describe("resolveParameters", () => {
  it("takes the instance over the template over the manifest", () => {
    expect(resolveParameters(manifest, { instance: required })).toEqual({ BITRATE: "6000k", ...required });
    expect(resolveParameters(manifest, { template: { BITRATE: "1k", PRESET: "fast" }, instance: required })).toEqual({
      BITRATE: "1k",
      PRESET: "fast",
      ...required,
    });
    expect(
      resolveParameters(manifest, { template: { ...required, BITRATE: "1k" }, instance: { BITRATE: "2k" } }),
    ).toEqual({ BITRATE: "2k", ...required });
  });

  it("takes an empty string as a value", () => {
    expect(resolveParameters(manifest, { instance: { ...required, BITRATE: "", CODEC: "" } })).toMatchObject({
      BITRATE: "",
      CODEC: "",
    });
  });

  it("names all that is missing, unknown and unusable at once, and shows no value", () => {
    const instance: Record<string, string> = { STREAM_KEY: "hunter2\0", NORSK_WORKER_TOKEN: "t0ken", toString: "x" };
    Reflect.set(instance, "PRESET", 5);
    expect(() => resolveParameters(manifest, { template: { BITRAET: "1k" }, instance }))
      .toThrowErrorMatchingInlineSnapshot(`
      [ManifestError: parameters of "encoder":
        - BITRAET: is unknown; known are BITRATE, PRESET, CODEC, STREAM_KEY
        - STREAM_KEY: must not contain a NUL character: an environment cannot hold one
        - NORSK_WORKER_TOKEN: is reserved: names with NORSK_ are no parameters
        - toString: is unknown; known are BITRATE, PRESET, CODEC, STREAM_KEY
        - PRESET: must be a string, not a number
        - CODEC: is missing, and the product requires a value]
    `);
  });

  it("says so when a product has no parameters", () => {
    const plain = parseManifest({ schemaVersion: 1, name: "plain" });
    expect(resolveParameters(plain)).toEqual({});
    expect(() => resolveParameters(plain, { instance: { A: "" } })).toThrow(
      'parameters of "plain": A: is unknown: the product has no parameters',
    );
  });
});
