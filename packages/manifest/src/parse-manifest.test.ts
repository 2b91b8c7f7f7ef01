import { describe, expect, it } from "vitest";
import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";

const minimal = { schemaVersion: 2, name: "encoder" };

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
      schemaVersion: 2,
      name: "encoder",
      accelerator: { mode: "fixed", value: "none" },
      capabilities: [],
      parameters: {},
      ports: { control: 4321 },
      resources: {},
      privileges: [],
      files: {},
      secrets: {},
      handover: { supported: false },
    });
  });

  it("keeps what the author wrote", () => {
    const written = {
      schemaVersion: 2,
      name: "encoder",
      version: "1.2.3",
      title: "Encoder",
      description: "Encodes",
      accelerator: { mode: "required" },
      capabilities: ["h264", "video/hevc"],
      parameters: {
        BITRATE: { type: "string", default: "", required: false, secret: false, help: "in kbit/s", "x-order": 1 },
        CODEC: { type: "enum", values: ["h264", "hevc"], default: "hevc", required: false, secret: false },
        FPS: { type: "number", default: 25, required: true, secret: false },
        LIVE: { type: "boolean", default: true, required: false, secret: false },
        KEY: { type: "string", pattern: "[0-9]+", required: true, secret: true },
      },
      ports: { control: 8080, metrics: 9090 },
      health: { path: "/healthz?deep=1", intervalMs: 50, startupTimeoutMs: 5_000, failureThreshold: 1 },
      resources: { cpus: 0.5, memory: 512 * 1024 ** 2, shm: 1024 },
      privileges: ["SYS_NICE", "writable-root"],
      files: { presets: { path: "/etc/presets.json", default: "{}", required: false, help: "JSON" } },
      secrets: { license: { path: "/etc/license", required: true } },
      handover: { supported: true, stateLimit: 1024, deadlinesMs: { place: 1, "x-why": "big image" } },
      "x-team": { name: "video" },
    };
    expect(parseManifest({ $schema: "https://example.com/manifest.json", ...written })).toEqual(written);
  });

  it("fills in the defaults of health and parameters", () => {
    const manifest = parseManifest({ ...minimal, health: { path: "/" }, parameters: { KEY: { secret: true } } });
    expect(manifest.health).toEqual({
      path: "/",
      intervalMs: 10_000,
      startupTimeoutMs: 60_000,
      failureThreshold: 3,
    });
    expect(manifest.parameters).toEqual({ KEY: { type: "string", required: false, secret: true } });
  });

  it("gives a product its port control, and a secret its path", () => {
    const secrets = { key: {} };
    const { ports, secrets: complete } = parseManifest({ ...minimal, ports: { web: 80 }, secrets });
    expect(ports).toEqual({ control: 4321, web: 80 });
    expect(complete).toEqual({ key: { path: "/run/secrets/key", required: false } });
  });

  it.each([
    ["512m", 536_870_912],
    ["512MiB", 536_870_912],
    ["512Mi", 536_870_912],
    ["1.5g", 1_610_612_736],
    ["8192 kb", 8_388_608],
    ["8388608", 8_388_608],
    ["8388608b", 8_388_608],
    [8_388_608, 8_388_608],
    ["1t", 1_099_511_627_776],
  ])("takes a size of %j for %i bytes", (memory, bytes) => {
    expect(parseManifest({ ...minimal, resources: { memory } }).resources.memory).toBe(bytes);
  });

  it("takes extensions anywhere, and keeps them where no names are given", () => {
    const manifest = parseManifest({
      ...minimal,
      "x-a": 1,
      parameters: { A: { "x-b": {} }, "x-c": 1 },
      ports: { "x-d": "ssh" },
      accelerator: { mode: "required", "x-e": [1] },
    });
    expect(manifest).toMatchObject({ "x-a": 1, accelerator: { "x-e": [1] }, parameters: { A: { "x-b": {} } } });
    expect(Object.keys(manifest.parameters)).toEqual(["A"]);
    expect(manifest.ports).toEqual({ control: 4321 });
  });

  it("says of a newer manifest that it needs a newer Changeover, whatever else is in it", () => {
    const error = refusalOf({ schemaVersion: 3, name: 5, novelty: true });
    expect(error.code).toBe("unsupported-schema-version");
    expect(error.message).toBe(
      "manifest: schemaVersion: is 3, and this version of @changeover/manifest reads up to 2: " +
        "update it to one that reads this manifest",
    );
  });

  it("lists all problems, each with its path, what is allowed and what was found", () => {
    const error = refusalOf({
      schemaVersion: 2,
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
        - ports.web: must be a whole number from 1 to 65535, not 0
        - ports.metrics: must be a whole number from 1 to 65535, not 9090.5
        - ports.Not Good: a port's name must be lower-case letters, digits and -, starting with a letter
        - health.path: must be a path that starts with "/" and has no white space or "#", not "healthz"
        - handover.supported: is missing; it must be true or false
        - titel: is unknown; did you mean title?
        - parameters.WIDTH.requierd: is unknown; did you mean required?"
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
    [
      "a port has that of control",
      { ports: { web: 4321 } },
      "ports.web: is the port of control too, which is 4321 by default; give control another",
    ],
    ["a port is an extension", { ports: { "x-web": 80, web: "80" } }, "ports.web: must be a whole number from 1 to"],
    ["a secret is no string", { parameters: { A: { type: "number", secret: true } } }, "because a secret is a string"],
    [
      "a type is misspelt",
      { parameters: { A: { type: "nubmer" } } },
      'parameters.A.type: must be one of "string", "number", "boolean", "enum", not "nubmer"',
    ],
    ["an enum has no values", { parameters: { A: { type: "enum", values: [] } } }, "must have at least one value"],
    [
      "a default is none of the values",
      { parameters: { A: { type: "enum", values: ["a", "b"], default: "c" } } },
      'parameters.A.default: must be one of "a", "b"',
    ],
    [
      "a default breaks its pattern",
      { parameters: { A: { pattern: "[0-9]+", default: "12k" } } },
      "parameters.A.default: must match the pattern [0-9]+",
    ],
    [
      "a pattern is none of RE2",
      { parameters: { A: { pattern: "(?=a)" } } },
      "parameters.A.pattern: must be a regular expression that RE2 and JavaScript read: error parsing regexp",
    ],
    ["a pattern is none of JavaScript", { parameters: { A: { pattern: "(?P<a>b)" } } }, "Invalid regular expression"],
    [
      "memory is a word",
      { resources: { memory: "lots" } },
      'resources.memory: must be a size such as "512m" or "1.5g"',
    ],
    [
      "memory is less than an engine takes",
      { resources: { memory: "1m" } },
      "resources.memory: must be from 6291456 to 9007199254740991 bytes, not 1048576",
    ],
    ["there are no cpus", { resources: { cpus: 0 } }, "resources.cpus: must be a number of CPUs from 0.01 to 1024"],
    [
      "a privilege is misspelt",
      { privileges: ["NET_BIND_SERVCE"] },
      'privileges.0: must be the name of a privilege, not "NET_BIND_SERVCE"; did you mean "NET_BIND_SERVICE"?',
    ],
    ["a capability has a comma", { capabilities: ["a,b"] }, "capabilities.0: must be letters, digits"],
    ["a capability comes twice", { capabilities: ["a", "a"] }, 'capabilities.1: repeats "a"'],
    ["a file is outside", { files: { a: { path: "/etc/../a" } } }, "files.a.path: must be an absolute path of a file"],
    ["a file covers the kernel's", { files: { a: { path: "/proc/a" } } }, "files.a.path: must be an absolute path"],
    [
      "a file and a secret share a path",
      { files: { a: { path: "/run/secrets/b" } }, secrets: { b: {} } },
      "secrets.b.path: is at the path of files.a too (/run/secrets/b); choose another",
    ],
    [
      "a file is in another",
      { files: { a: { path: "/etc/a" }, b: { path: "/etc/a/b" } } },
      "files.b.path: is in the way of files.a (/etc/a); choose another",
    ],
    [
      "a secret is where a folder of a file is",
      { files: { a: { path: "/etc/a/b" } }, secrets: { b: { path: "/etc/a" } } },
      "secrets.b.path: is in the way of files.a (/etc/a/b); choose another",
    ],
    [
      "a file and a secret share a name",
      { files: { a: { path: "/a" } }, secrets: { a: {} } },
      "secrets.a: has the name of a file; choose another",
    ],
    ["a secret has a default", { secrets: { a: { default: "x" } } }, "secrets.a.default: is unknown; known are path"],
    [
      "a phase is unknown",
      { handover: { supported: true, deadlinesMs: { aply: 1 } } },
      "handover.deadlinesMs.aply: is unknown; did you mean apply?",
    ],
    ["a field is abbreviated", { resources: { mem: "1g" } }, "resources.mem: is unknown; did you mean memory?"],
    ["it is too deep", { "x-a": JSON.parse("[".repeat(40) + "]".repeat(40)) }, "is nested more than 32 levels deep"],
    ["handover is a flag", { handover: true }, "handover: must be an object, not true"],
    ["the version is missing", { schemaVersion: undefined }, "schemaVersion: is missing; it must be 2"],
    ["the version is a text", { schemaVersion: "1" }, 'schemaVersion: must be a whole number from 1 to 2, not "1"'],
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
    const error = refusalOf({ schemaVersion: 2 });
    expect(error.name).toBe("ManifestError");
    expect(error.cause).toBeDefined();
    expect(ManifestError.isInstance({ [Symbol.for("@changeover/manifest/ManifestError")]: true })).toBe(true);
    expect(ManifestError.isInstance(new Error("no"))).toBe(false);
    expect(ManifestError.isInstance(null)).toBe(false);
  });
});
