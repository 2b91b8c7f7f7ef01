import { parseManifest } from "@changeover/manifest";
import { expect, it } from "vitest";
import { ensureImage } from "./ensure-image.js";
import { launch } from "./launch.js";

const manifest = parseManifest({ schemaVersion: 1, name: "encoder" });
const choices = { role: "product", name: "encoder-1", image: "example/encoder:1" };
/** Stands for an engine that must not be asked. */
const engine = { docker: {}, description: "an engine", isLocal: true, host: "127.0.0.1" };

/** Calls it as JavaScript can, without the types. */
function launchWith(...args: unknown[]): Promise<unknown> {
  return Reflect.apply(launch, undefined, args);
}

it.each([
  ["no engine", [undefined, manifest, choices], "engine must be what connectEngine returns, is undefined"],
  ["a promise of an engine", [Promise.resolve(), manifest, choices], "engine must be what connectEngine returns"],
  ["no manifest", [engine, undefined, choices], "manifest: must be what parseManifest returns, not undefined"],
  ["an unparsed manifest", [engine, { name: "encoder" }, choices], /^manifest "encoder": .*what parseManifest returns/],
  ["no choices", [engine, manifest], "choices must be an object, is undefined"],
  ["a wrong choice", [engine, manifest, { ...choices, cmd: [] }], "cmd is unknown; known are role,"],
  ["no options", [engine, manifest, choices, null], "options must be an object, is null"],
  ["an unknown option", [engine, manifest, choices, { sginal: 1 }], "sginal is unknown; known are signal, timeouts"],
  ["a wrong signal", [engine, manifest, choices, { signal: {} }], "signal must be an AbortSignal, is an object"],
  ["no time-outs", [engine, manifest, choices, { timeouts: null }], "timeouts must be an object, is null"],
  [
    "an unknown time-out",
    [engine, manifest, choices, { timeouts: { redyMs: 5 } }],
    "timeouts: redyMs is unknown; known are pullMs, engineMs, readyMs",
  ],
  [
    "a wrong time-out",
    [engine, manifest, choices, { timeouts: { readyMs: "5" } }],
    'timeouts.readyMs must be above 0, is "5"',
  ],
])("a launch with %s is refused before the engine is asked", async (_, args, message) => {
  await expect(launchWith(...args)).rejects.toMatchObject({
    code: expect.stringMatching(/^invalid-(option|manifest)$/),
    message: expect.stringMatching(message),
  });
});

it("ensureImage says so when it is given no engine or no image", async () => {
  const ensureWith = (...args: unknown[]): Promise<unknown> => Reflect.apply(ensureImage, undefined, args);
  await expect(ensureWith(undefined, "x")).rejects.toThrow("engine must be what connectEngine returns, is undefined");
  await expect(ensureWith(engine, undefined)).rejects.toThrow("image must be the name of an image, is undefined");
});
