import * as fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";
import { resolveParameters, revealParameters, type ParameterValues } from "./resolve-parameters.js";
import { Secret } from "./secret.js";

const manifest = parseManifest({
  schemaVersion: 2,
  name: "encoder",
  parameters: {
    BITRATE: { default: "6000k" },
    PRESET: {},
    CODEC: { required: true },
    STREAM_KEY: { required: true, secret: true },
  },
});
const required = { CODEC: "h264", STREAM_KEY: "hunter2" };

const resolved = (values: ParameterValues): Record<string, string> =>
  revealParameters(resolveParameters(manifest, values));

describe("resolveParameters", () => {
  it("takes the instance over the template over the manifest", () => {
    expect(resolved({ instance: required })).toEqual({ BITRATE: "6000k", ...required });
    expect(resolved({ template: { BITRATE: "1k", PRESET: "fast" }, instance: required })).toEqual({
      BITRATE: "1k",
      PRESET: "fast",
      ...required,
    });
    expect(resolved({ template: { ...required, BITRATE: "1k" }, instance: { BITRATE: "2k" } })).toEqual({
      BITRATE: "2k",
      ...required,
    });
  });

  it("takes an empty string as a value", () => {
    expect(resolved({ instance: { ...required, BITRATE: "", CODEC: "" } })).toMatchObject({ BITRATE: "", CODEC: "" });
  });

  it("names all that is missing, unknown and unusable at once, and shows no value", () => {
    const instance = { STREAM_KEY: "hunter2\0", NORSK_WORKER_TOKEN: "t0ken", toString: "x", PRESET: 5 };
    expect(() => resolveParameters(manifest, { template: { BITRAET: "1k", zzz: "" }, instance }))
      .toThrowErrorMatchingInlineSnapshot(`
      [ManifestError: parameters of "encoder":
        - BITRAET: is unknown; did you mean BITRATE?
        - zzz: is unknown; known are BITRATE, PRESET, CODEC, STREAM_KEY
        - STREAM_KEY: must not contain a NUL character: an environment cannot hold one
        - NORSK_WORKER_TOKEN: is reserved: names with NORSK_ are no parameters
        - toString: is unknown; known are BITRATE, PRESET, CODEC, STREAM_KEY
        - PRESET: must be a string, not a number
        - CODEC: is missing, and the product requires a value]
    `);
  });

  it("says so when a product has no parameters", () => {
    const plain = parseManifest({ schemaVersion: 2, name: "plain" });
    expect(resolveParameters(plain)).toEqual({});
    expect(() => resolveParameters(plain, { instance: { A: "" } })).toThrow(
      'parameters of "plain": A: is unknown: the product has no parameters',
    );
  });
});

describe("a typed parameter", () => {
  const typed = parseManifest({
    schemaVersion: 2,
    name: "typed",
    parameters: {
      FPS: { type: "number", default: 25 },
      LIVE: { type: "boolean", default: false },
      MODE: { type: "enum", values: ["fast", "slow"], default: "slow" },
      RATE: { pattern: "\\d+k|auto", default: "auto" },
    },
  });

  it.each([
    [{}, { FPS: "25", LIVE: "false", MODE: "slow", RATE: "auto" }],
    [
      { FPS: 29.97, LIVE: true, MODE: "fast", RATE: "5k" },
      { FPS: "29.97", LIVE: "true", MODE: "fast", RATE: "5k" },
    ],
    [
      { FPS: "-.5e3", LIVE: "true" },
      { FPS: "-.5e3", LIVE: "true", MODE: "slow", RATE: "auto" },
    ],
  ])("takes %j", (instance, env) => {
    expect(resolveParameters(typed, { instance })).toEqual(env);
  });

  it.each([
    [{ FPS: "" }, "FPS: must be a number in decimal, such as 25 or -0.5"],
    [{ FPS: "0x10" }, "FPS: must be a number in decimal, such as 25 or -0.5"],
    [{ FPS: Number.NaN }, "FPS: must be a number in decimal, such as 25 or -0.5"],
    [{ FPS: "1e999" }, "FPS: must be a number in decimal, such as 25 or -0.5"],
    [{ LIVE: "yes" }, "LIVE: must be true or false"],
    [{ MODE: "Fast" }, 'MODE: must be one of "fast", "slow"'],
    [{ RATE: "5k!" }, "RATE: must match the pattern \\d+k|auto"],
    [{ RATE: "x5k" }, "RATE: must match the pattern \\d+k|auto"],
    [{ RATE: 5 }, "RATE: must be a string, not a number"],
    [{ MODE: null }, 'MODE: must be one of "fast", "slow", not null'],
  ])("refuses %j", (instance, message) => {
    const values = { instance } as ParameterValues;
    expect(() => resolveParameters(typed, values)).toThrow(`parameters of "typed": ${message}`);
  });

  it("takes no longer for a pattern that would keep a RegExp busy for years", () => {
    const slow = parseManifest({ schemaVersion: 2, name: "slow", parameters: { A: { pattern: "(a+)+" } } });
    const startedAt = performance.now();
    expect(() => resolveParameters(slow, { instance: { A: `${"a".repeat(5_000)}!` } })).toThrow("must match");
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe("a secret", () => {
  it("comes back as one, and so does what was given as one", () => {
    const { STREAM_KEY, CODEC, BITRATE } = resolveParameters(manifest, {
      instance: { ...required, CODEC: new Secret("h264") },
    });
    expect(STREAM_KEY).toBeInstanceOf(Secret);
    expect(CODEC).toBeInstanceOf(Secret);
    expect(BITRATE).toBe("6000k");
  });

  it("is in no text, whatever is given with it", () => {
    // Nothing else in any text here has a digit in this form.
    const secret = fc.stringMatching(/^[0-9]{12}$/);
    const others = fc.dictionary(fc.constantFrom("BITRATE", "PRESET", "CODEC", "BITRAET", "x"), fc.jsonValue());
    fc.assert(
      fc.property(secret, others, fc.constantFrom("", "\0"), fc.boolean(), (secret, others, end, asSecret) => {
        const value = asSecret ? new Secret(secret + end) : secret + end;
        const layer = { ...others, STREAM_KEY: value } as NonNullable<ParameterValues["instance"]>;
        const texts = [{ instance: layer }, { template: layer }].map((values) => {
          try {
            const env = resolveParameters(manifest, values);
            return [inspect(env, { showHidden: true }), JSON.stringify(env), String(Object.values(env))].join("");
          } catch (error) {
            if (!ManifestError.isInstance(error)) throw error;
            return inspect(error) + JSON.stringify(error.problems);
          }
        });
        expect(texts.join("")).not.toContain(secret);
      }),
    );
  });
});

it("takes for each name the first of instance, template and manifest that says something", () => {
  const name = fc.constantFrom("A", "B", "C", "D");
  const layer = fc.dictionary(
    name,
    fc.string().map((text) => text.replaceAll("\0", "")),
  );
  fc.assert(
    fc.property(layer, layer, layer, (defaults, template, instance) => {
      const parameters = Object.fromEntries(
        ["A", "B", "C", "D"].map((name) => [name, name in defaults ? { default: defaults[name] } : {}]),
      );
      const layered = parseManifest({ schemaVersion: 2, name: "layered", parameters });
      const env = { ...defaults, ...template, ...instance };
      expect(resolveParameters(layered, { template, instance })).toEqual({ ...env });
    }),
  );
});
