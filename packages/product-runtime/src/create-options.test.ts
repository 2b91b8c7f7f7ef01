import { parseManifest, type Manifest } from "@changeover/manifest";
import { describe, expect, it } from "vitest";
import { createOptions } from "./create-options.js";
import type { LaunchChoices } from "./launch-choices.js";

const NONE = { kind: "none" } as const;
const choices: LaunchChoices = { role: "product", name: "encoder-1", image: "example/encoder:1" };
const manifest = parseManifest({ schemaVersion: 1, name: "encoder" });

function withManifest(fields: object): Manifest {
  return parseManifest({ schemaVersion: 1, name: "encoder", ...fields });
}

describe("createOptions", () => {
  it("says everything about a plain product", () => {
    expect(createOptions(manifest, choices, NONE)).toEqual({
      name: "encoder-1",
      Image: "example/encoder:1",
      Env: [],
      Labels: {
        "changeover.role": "product",
        "changeover.name": "encoder-1",
        "changeover.manifest-digest": expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
      ExposedPorts: { "4321/tcp": {} },
      HostConfig: {
        AutoRemove: true,
        Init: true,
        PortBindings: { "4321/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
        ExtraHosts: ["host.docker.internal:host-gateway"],
      },
    });
  });

  it("limits what the manifest says, and of memory what was chosen", () => {
    const limited = parseManifest({
      schemaVersion: 2,
      name: "encoder",
      resources: { cpus: 1.5, memory: "512m", shm: "128m" },
    });
    const limits = {
      NanoCpus: 1_500_000_000,
      Memory: 512 * 1024 ** 2,
      MemorySwap: 512 * 1024 ** 2,
      ShmSize: 128 * 1024 ** 2,
    };
    expect(createOptions(limited, choices, NONE).HostConfig).toMatchObject(limits);
    const memoryBytes = 64 * 1024 ** 2;
    expect(createOptions(limited, { ...choices, memoryBytes }, NONE).HostConfig).toMatchObject({
      ...limits,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
    });
  });

  it("takes every choice", () => {
    const options = createOptions(
      manifest,
      {
        ...choices,
        role: "job",
        command: ["node", "job.js"],
        network: "studio",
        labels: { site: "oslo" },
        publishedHost: "0.0.0.0",
        memoryBytes: 64 * 1024 * 1024,
        init: false,
      },
      NONE,
    );
    expect(options).toMatchObject({
      Cmd: ["node", "job.js"],
      Labels: { "changeover.role": "job", site: "oslo" },
      HostConfig: {
        Init: false,
        NetworkMode: "studio",
        PortBindings: { "4321/tcp": [{ HostIp: "0.0.0.0", HostPort: "" }] },
        Memory: 67_108_864,
        MemorySwap: 67_108_864,
      },
    });
  });

  it("exposes and publishes exactly the ports of the manifest", () => {
    const { ExposedPorts, HostConfig } = createOptions(
      withManifest({ ports: { control: 80, rtmp: 1935 } }),
      choices,
      NONE,
    );
    expect(ExposedPorts).toEqual({ "80/tcp": {}, "1935/tcp": {} });
    expect(Object.keys(HostConfig?.PortBindings)).toEqual(["80/tcp", "1935/tcp"]);
    expect(createOptions(withManifest({ ports: {} }), choices, NONE).ExposedPorts).toEqual({ "4321/tcp": {} });
  });

  it("merges the environment and lets only infrastructure have reserved names", () => {
    const product = withManifest({ parameters: { A: { default: "1" }, B: {}, C: { required: true } } });
    const given: LaunchChoices = {
      ...choices,
      templateEnv: { B: "t", C: "t" },
      env: { C: "x=y\nz" },
      infrastructureEnv: { NORSK_RUNTIME_ID: "j-1" },
    };
    expect(createOptions(product, given, NONE).Env).toEqual(["A=1", "B=t", "C=x=y\nz", "NORSK_RUNTIME_ID=j-1"]);
    expect(() => createOptions(product, { ...given, env: { NORSK_RUNTIME_ID: "j-2" } }, NONE)).toThrow(
      'cannot launch "encoder-1": env: NORSK_RUNTIME_ID is no parameter, as its name starts with NORSK_; ' +
        "pass it in infrastructureEnv",
    );
    expect(() => createOptions(product, { ...given, templateEnv: { NORSK_RUNTIME_ID: "j-2" } }, NONE)).toThrow(
      "templateEnv: NORSK_RUNTIME_ID is no parameter",
    );
    expect(() => createOptions(product, choices, NONE)).toThrow("C: is missing");
  });

  it("gives a manifest the same digest in any order, and another one another", () => {
    const digest = (fields: object): string | undefined =>
      createOptions(withManifest(fields), choices, NONE).Labels?.["changeover.manifest-digest"];
    expect(digest({ title: "a", ports: { control: 1, b: 2 } })).toBe(
      digest({ ports: { b: 2, control: 1 }, title: "a" }),
    );
    expect(digest({ title: "a" })).not.toBe(digest({ title: "b" }));
  });

  it("lists every wrong choice with its value, and no value of the infrastructure", () => {
    expect(() =>
      createOptions(
        manifest,
        {
          role: "product",
          name: "my encoder",
          image: "",
          command: [],
          network: "host",
          labels: { "changeover.role": "job" },
          publishedHost: "localhost",
          memoryBytes: 1024,
          infrastructureEnv: { WORKER_TOKEN: "hunter2", NORSK_WORKER_TOKEN: "hunter2\0" },
        },
        NONE,
      ),
    ).toThrowErrorMatchingInlineSnapshot(`
      [ProductRuntimeError: cannot launch "my encoder":
        - name must be 2 or more letters, digits, _, . and -, is "my encoder"
        - image must be the name of an image, is ""
        - command must have at least one word; leave it out for the image's own
        - network must be the name of a bridge or overlay network, is "host"
        - publishedHost must be an IP address, is "localhost"
        - memoryBytes must be a whole number of at least 6291456, is 1024
        - labels: changeover.role is reserved; choose a name without "changeover."
        - infrastructureEnv: WORKER_TOKEN must start with NORSK_; parameters go into env
        - infrastructureEnv: the value of NORSK_WORKER_TOKEN must be a string without NUL characters]
    `);
  });

  it("refuses choices that it does not know, with those that it does", () => {
    expect(() => createWith(manifest, { ...choices, cmd: ["node"], Image: "x" }, NONE)).toThrow(
      'cannot launch "encoder-1":\n' +
        "  - cmd is unknown; known are role, name, image, pull, env, templateEnv, infrastructureEnv, command, accelerator, " +
        "network, labels, publishedHost, memoryBytes, init\n" +
        "  - Image is unknown; known are role,",
    );
  });

  it.each([
    [{ env: null }, "env must be an object of names and values, is null"],
    [{ templateEnv: "A=1" }, "templateEnv must be an object of names and values, is a string"],
    [{ infrastructureEnv: ["A"] }, "infrastructureEnv must be an object of names and values, is an array"],
    [{ labels: null }, "labels must be an object of names and values, is null"],
    [{ labels: { site: 5 } }, "labels: the value of site must be a string"],
    [{ command: "node job.js" }, 'command must be an array of words, is "node job.js"'],
    [{ command: ["node", 5] }, "command must be an array of words, is an array"],
    [{ accelerator: "nvidia" }, 'accelerator must be an object such as {kind: "nvidia"}, is "nvidia"'],
    [{ accelerator: {} }, 'accelerator must be an object such as {kind: "nvidia"}, is an object'],
    [{ init: "no" }, 'init must be true or false, is "no"'],
    [{ network: null }, "network must be the name of a bridge or overlay network, is null"],
    [{ publishedHost: null }, "publishedHost must be an IP address, is null"],
    [{ memoryBytes: "64" }, 'memoryBytes must be a whole number of at least 6291456, is "64"'],
  ])("refuses %j", (change, message) => {
    const refused = () => createWith(manifest, { ...choices, ...change }, NONE);
    expect(refused).toThrow(expect.objectContaining({ code: "invalid-option" }));
    expect(refused).toThrow(`cannot launch "encoder-1": ${message}`);
  });

  it("takes choices that are undefined for left out", () => {
    expect(createWith(manifest, { ...choices, env: undefined, labels: undefined, init: undefined }, NONE)).toEqual(
      createOptions(manifest, choices, NONE),
    );
  });

  it("says what to pass when it is given none of what it needs", () => {
    const raw = { schemaVersion: 1, name: "encoder" };
    for (const nothing of [undefined, raw]) {
      expect(() => createWith(nothing, choices, NONE)).toThrow(/^manifest.* what parseManifest returns/);
    }
    expect(() => createWith(manifest, undefined, NONE)).toThrow("choices must be an object, is undefined");
    expect(() => createWith(manifest, choices, undefined)).toThrow(
      'hardware must be an object such as {kind: "none"}, is undefined',
    );
  });
});

/** Calls it as JavaScript can, without the types. */
function createWith(...args: unknown[]): unknown {
  return Reflect.apply(createOptions, undefined, args);
}
