import { describe, expect, it } from "vitest";
import { resolveAccelerator } from "./accelerator.js";
import { assertManifest } from "./assert-manifest.js";
import { ManifestError } from "./manifest-error.js";
import { parseManifest } from "./parse-manifest.js";
import { resolveParameters } from "./resolve-parameters.js";

const raw = { schemaVersion: 2, name: "encoder", health: { path: "/" }, parameters: { KEY: { secret: true } } };
const parsed = parseManifest(raw);

function refusalOf(work: () => unknown): ManifestError {
  try {
    work();
  } catch (error) {
    if (ManifestError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("assertManifest", () => {
  it("takes what parseManifest returns, also after a round trip through JSON, and a changed copy", () => {
    for (const manifest of [parsed, JSON.parse(JSON.stringify(parsed)), { ...parsed, title: "Encoder" }]) {
      expect(() => assertManifest(manifest)).not.toThrow();
    }
  });

  it.each([
    [undefined, "manifest: must be what parseManifest returns, not undefined"],
    [null, "manifest: must be what parseManifest returns, not null"],
    ["encoder.json", "manifest: must be what parseManifest returns, not a string"],
    [[], "manifest: must be what parseManifest returns, not an array"],
  ])("refuses %o", (value, message) => {
    const error = refusalOf(() => assertManifest(value));
    expect(error.code).toBe("invalid-manifest");
    expect(error.message).toBe(message);
  });

  it.each([
    [
      { schemaVersion: 2, name: "encoder" },
      "accelerator, parameters, ports, resources, files, secrets, handover, capabilities, privileges",
    ],
    [{ ...parsed, health: raw.health }, "health.intervalMs, health.startupTimeoutMs, health.failureThreshold"],
    [{ ...parsed, parameters: raw.parameters }, "parameters.KEY"],
  ])("refuses what has not been through parseManifest, and says by what it knows", (manifest, missing) => {
    expect(refusalOf(() => assertManifest(manifest)).message).toBe(
      `manifest "encoder": is not complete: pass what parseManifest returns, which fills in ${missing}`,
    );
  });
});

/** Calls a function as JavaScript can, without the types. */
function call(target: (...args: never[]) => unknown, ...args: unknown[]): () => unknown {
  return () => Reflect.apply(target, undefined, args);
}

it.each([undefined, raw])("resolveParameters says so when it is given %o for a manifest", (manifest) => {
  expect(refusalOf(call(resolveParameters, manifest)).message).toContain("what parseManifest returns");
});

it.each([
  [null, 'parameters of "encoder": values must be an object of names and values, not null'],
  [{ instance: null }, 'parameters of "encoder": instance: must be an object of names and values, not null'],
  [{ template: "A=1" }, 'parameters of "encoder": template: must be an object of names and values, not a string'],
])("resolveParameters says so when it is given the values %o", (values, message) => {
  const error = refusalOf(call(resolveParameters, parsed, values));
  expect(error.code).toBe("invalid-parameters");
  expect(error.message).toBe(message);
});

it.each([undefined, {}, { mode: "Default", value: "none" }])("resolveAccelerator refuses the policy %o", (policy) => {
  const error = refusalOf(call(resolveAccelerator, policy, "none"));
  expect(error.message).toBe("accelerator: pass the accelerator of what parseManifest returns");
});
