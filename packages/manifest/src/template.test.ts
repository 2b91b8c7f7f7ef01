import { expect, it } from "vitest";
import { parseManifest } from "./parse-manifest.js";
import { resolveParameters } from "./resolve-parameters.js";
import { parseTemplate } from "./template.js";

const manifest = parseManifest({
  schemaVersion: 2,
  name: "encoder",
  accelerator: { mode: "fixed", value: "nvidia" },
  parameters: {
    BITRATE: { type: "number", default: 3000 },
    CODEC: { required: true },
    STREAM_KEY: { secret: true },
  },
});

it("gives instances their defaults", () => {
  const record = { name: "hd", title: "HD", "x-order": 1, parameterDefaults: { BITRATE: 6000, CODEC: "h264" } };
  const template = parseTemplate(record, manifest);
  expect(template).toEqual(record);
  expect(resolveParameters(manifest, { template: template.parameterDefaults, instance: { CODEC: "hevc" } })).toEqual({
    BITRATE: "6000",
    CODEC: "hevc",
  });
});

it("need not give what is required, for an instance can", () => {
  expect(parseTemplate({ name: "plain" }, manifest)).toEqual({ name: "plain", parameterDefaults: {} });
});

it("lists every mistake, and shows no value", () => {
  const record = {
    name: "hd",
    title: 5,
    accelerator: "none",
    parameterDefault: {},
    parameterDefaults: { BITRATE: "fast", CODECS: "h264", STREAM_KEY: "hunter2", NORSK_RUNTIME_ID: "j-1" },
  };
  expect(() => parseTemplate(record, manifest)).toThrowErrorMatchingInlineSnapshot(`
    [ManifestError: template "hd":
      - title: must be a string, not 5
      - accelerator: the product runs on nvidia only, and none was chosen; choose nvidia
      - parameterDefaults.BITRATE: must be a number in decimal, such as 25 or -0.5
      - parameterDefaults.CODECS: is unknown; did you mean CODEC?
      - parameterDefaults.STREAM_KEY: must be left out, because a secret has no default
      - parameterDefaults.NORSK_RUNTIME_ID: is reserved: names with NORSK_ are no parameters
      - parameterDefault: is unknown; did you mean parameterDefaults?]
  `);
});

it.each([
  [null, "template: must be a JSON object, not null"],
  [{}, "template: name: must be a string that is not empty"],
  [{ name: "hd", parameterDefaults: [] }, 'template "hd": parameterDefaults: must be an object of names and values'],
])("refuses %j", (record, message) => {
  expect(() => parseTemplate(record, manifest)).toThrow(message);
});
