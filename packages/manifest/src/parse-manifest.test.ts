import { describe, expect, it } from "vitest";
import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";

const minimal = { schemaVersion: 1, name: "encoder" };

function refusalOf(input: unknown): ManifestError {
  try {
    parseManifest(input);
  } catch (error) {
    if (ManifestError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("the manifest was accepted");
}

describe("parseManifest", () => {
  it("fills in every default", () => {
    expect(parseManifest(minimal)).toEqual({
      schemaVersion: 1,
      name: "encoder",
      accelerator: { mode: "fixed", value: "none" },
      parameters: {},
      ports: { control: 4321 },
      handover: { supported: false },
    });
  });

  it("keeps what the author wrote", () => {
    const written = {
      schemaVersion: 1,
      name: "encoder",
      version: "1.2.3",
      title: "Encoder",
      description: "Encodes",
      accelerator: { mode: "required" },
      parameters: { BITRATE: { default: "", required: false, secret: false, description: "in kbit/s" } },
      ports: { control: 8080, metrics: 9090 },
      health: { path: "/healthz?deep=1", intervalMs: 50, startupTimeoutMs: 5_000 },
      handover: { supported: true },
    };
    expect(parseManifest({ $schema: "https://example.com/manifest.json", ...written })).toEqual(written);
  });

  it("fills in the defaults of health and parameters", () => {
    const manifest = parseManifest({ ...minimal, health: { path: "/" }, parameters: { KEY: { secret: true } } });
    expect(manifest.health).toEqual({ path: "/", intervalMs: 100, startupTimeoutMs: 60_000 });
    expect(manifest.parameters).toEqual({ KEY: { required: false, secret: true } });
  });

  it("says of a newer manifest that it needs a newer Changeover, whatever else is in it", () => {
    const error = refusalOf({ schemaVersion: 2, name: 5, novelty: true });
    expect(error.code).toBe("unsupported-schema-version");
    expect(error.message).toBe(
      "manifest: schemaVersion: is 2 and this Changeover reads 1: it needs a newer Changeover",
    );
  });

  it("lists all problems, each with its path, what is allowed and what was found", () => {
    const error = refusalOf({
      schemaVersion: 1,
      name: "my encoder",
      titel: "Encoder",
      accelerator: { mode: "fixed", value: "amd" },
      parameters: {
        bitrate: {},
        NORSK_TOKEN: {},
        STREAM_KEY: { secret: true, default: "hunter2" },
        WIDTH: { default: 1920, requierd: true },
      },
      ports: { web: 0, metrics: 9090.5, "Not Good": 1, a: 80, b: 80 },
      health: { path: "healthz" },
      handover: {},
    });
    expect(error.code).toBe("invalid-manifest");
    expect(error.message).toMatchInlineSnapshot(`
      "manifest "my encoder":
        - name: must be 2 to 100 letters, digits, _, . and -, starting with a letter or digit, not "my encoder"
        - accelerator.value: must be one of "none", "nvidia", "quadra", not "amd"
        - parameters.bitrate: a parameter's name must be capital letters, digits and _, not starting with a digit
        - parameters.NORSK_TOKEN: names that start with NORSK_ are reserved; choose another
        - parameters.STREAM_KEY.default: must be left out, because a secret has no default
        - parameters.WIDTH.default: must be a string, not a number
        - parameters.WIDTH.requierd: is unknown; known are default, required, secret, description
        - ports.web: must be a whole number from 1 to 65535, not 0
        - ports.metrics: must be a whole number from 1 to 65535, not 9090.5
        - ports.Not Good: a port's name must be lower-case letters, digits and -, starting with a letter
        - health.path: must be a path that starts with "/" and has no white space or "#", not "healthz"
        - handover.supported: is missing; it must be true or false
        - titel: is unknown; known are $schema, schemaVersion, name, version, title, description, accelerator, parameters, ports, health, handover
        - ports.control: is missing; health is asked on the port of this name"
    `);
    expect(error.message).not.toContain("hunter2");
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["an array", []],
    ["a text", "{}"],
  ])("refuses %s", (_, input) => {
    expect(refusalOf(input).message).toContain("must be a JSON object");
  });

  it.each([
    ["accelerator is a text", { accelerator: "nvidia" }, 'accelerator: must be an object with "mode"'],
    [
      "accelerator has no mode",
      { accelerator: { value: "nvidia" } },
      "accelerator.mode: is missing; it must be one of",
    ],
    ["required has a value", { accelerator: { mode: "required", value: "none" } }, "accelerator.value: is unknown"],
    ["two names share a port", { ports: { control: 80, web: 80 } }, "ports.web: is the port of control too"],
    ["health has no port", { ports: { web: 80 }, health: { path: "/" } }, "ports.control: is missing; health is asked"],
    ["handover is a flag", { handover: true }, "handover: must be an object, not true"],
    ["the version is missing", { schemaVersion: undefined }, "schemaVersion: is missing; it must be 1"],
    ["the version is a text", { schemaVersion: "1" }, 'schemaVersion: must be 1, not "1"'],
    ["a name is one letter", { name: "x" }, "name: must be 2 to 100 letters"],
    ["the interval is 0", { health: { path: "/", intervalMs: 0 } }, "health.intervalMs: must be a whole number from 1"],
  ])("refuses a manifest in which %s", (_, change, message) => {
    expect(refusalOf({ ...minimal, ...change }).message).toContain(message);
  });

  it("shows no value of a parameter, which may be a secret", () => {
    const error = refusalOf({ ...minimal, parameters: { KEY: { secret: true, default: 123456 }, TOKEN: "hunter2" } });
    expect(error.message).toContain("parameters.KEY.default: must be a string, not a number");
    expect(error.message).toContain("parameters.TOKEN: must be an object, not a string");
    expect(error.message).not.toMatch(/123456|hunter2/);
  });

  it("tells its errors from others, also those of another copy", () => {
    const error = refusalOf({});
    expect(error.name).toBe("ManifestError");
    expect(error.cause).toBeDefined();
    expect(ManifestError.isInstance({ [Symbol.for("@changeover/manifest/ManifestError")]: true })).toBe(true);
    expect(ManifestError.isInstance(new Error("no"))).toBe(false);
    expect(ManifestError.isInstance(null)).toBe(false);
  });
});
