import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { registryCredentials, type RegistryCredentials } from "./registry-credentials.js";

const REGISTRY = "localhost:5000";
const HUB = "https://index.docker.io/v1/";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A folder for DOCKER_CONFIG that is on the PATH too, with this config file and these helpers. */
async function home(config: unknown, helpers: Readonly<Record<string, string>> = {}) {
  const dir = await mkdtemp(join(tmpdir(), "docker-config-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
  for (const [name, script] of Object.entries(helpers)) {
    const path = join(dir, `docker-credential-${name}`);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }
  const env = { DOCKER_CONFIG: dir, PATH: `${dir}:${process.env["PATH"]}` };
  return {
    dir,
    path: join(dir, "config.json"),
    find: (registry = REGISTRY, signal = new AbortController().signal): Promise<RegistryCredentials> =>
      registryCredentials(registry, { env, signal }),
  };
}

it.each([
  ["as it is", { [REGISTRY]: { auth: base64("ada:pass:word") } }],
  ["padded with NUL", { [REGISTRY]: { auth: base64("ada:pass:word\0\0") } }],
  ["in two fields", { [REGISTRY]: { username: "ada", password: "pass:word" } }],
  ["under a key with a scheme", { [`https://${REGISTRY}`]: { auth: base64("ada:pass:word") } }],
  ["under a key with a path", { "reg.example": {}, [`http://${REGISTRY}/v2/`]: { auth: base64("ada:pass:word") } }],
])("takes user and password from auths %s", async (_, auths) => {
  const { find, path } = await home({ auths });
  expect(await find()).toEqual({
    auth: { username: "ada", password: "pass:word", serveraddress: REGISTRY },
    description: `The registry was given the credentials that ${path} has for ${REGISTRY}`,
  });
});

it("takes tokens from auths", async () => {
  const { find } = await home({ auths: { a: { identitytoken: "i" }, b: { registrytoken: "r" } } });
  expect((await find("a")).auth).toEqual({ identitytoken: "i", serveraddress: "a" });
  expect((await find("b")).auth).toEqual({ registrytoken: "r", serveraddress: "b" });
});

it.each([[HUB], ["docker.io"], ["index.docker.io"]])("finds Docker Hub under %s", async (key) => {
  const { find } = await home({ auths: { [key]: { auth: base64("ada:pw") } } });
  expect((await find("docker.io")).auth).toEqual({ username: "ada", password: "pw", serveraddress: HUB });
});

it.each([
  ["no entry", {}],
  ["an entry that a helper left empty", { [REGISTRY]: {} }],
  ["another port", { "localhost:5001": { auth: base64("ada:pw") } }],
])("says where it found nothing: %s", async (_, auths) => {
  const { find, path } = await home({ auths });
  expect(await find()).toEqual({
    auth: undefined,
    description: `There are no credentials for ${REGISTRY} in ${path}`,
  });
});

it("has nothing to say of a config file that is not there", async () => {
  const env = { HOME: "/nonexistent" };
  const { signal } = new AbortController();
  expect(await registryCredentials(REGISTRY, { env, signal })).toMatchObject({
    auth: undefined,
    description: expect.stringContaining("/nonexistent/.docker/config.json"),
  });
});

it("asks the helper of the registry before the one of all", async () => {
  const answer = (user: string): string => `echo '{"Username":"${user}","Secret":"s"}'`;
  const { find } = await home(
    { credsStore: "all", credHelpers: { [REGISTRY]: "one", "bare.example": "" } },
    { all: answer("of-all"), one: answer("of-one") },
  );
  expect(await find()).toMatchObject({
    auth: { username: "of-one" },
    description: expect.stringContaining("docker-credential-one"),
  });
  expect((await find("other.example")).auth).toMatchObject({ username: "of-all", serveraddress: "other.example" });
  expect((await find("bare.example")).auth).toBeUndefined();
});

it("gives a helper `get` and the registry, and takes a token from it", async () => {
  const script = `echo "$1 $(cat)" > "$DOCKER_CONFIG/asked"; echo '{"ServerURL":"x","Username":"<token>","Secret":"t0ken"}'`;
  const { find, dir } = await home({ credsStore: "x" }, { x: script });
  expect((await find("docker.io")).auth).toEqual({ identitytoken: "t0ken", serveraddress: HUB });
  expect(await readFile(join(dir, "asked"), "utf8")).toBe(`get ${HUB}\n`);
});

it("looks into auths when the helper has none", async () => {
  const none = "echo 'credentials not found in native keychain'; exit 1";
  const { find } = await home({ credsStore: "x", auths: { [REGISTRY]: { auth: base64("ada:pw") } } }, { x: none });
  expect((await find()).auth).toMatchObject({ username: "ada" });
  expect(await find("reg.example")).toMatchObject({
    auth: undefined,
    description: expect.stringMatching(/^There are no credentials for reg\.example in .* and docker-credential-x$/),
  });
});

it.each([
  [
    "says no",
    "echo 'the vault is locked'; exit 3",
    /docker-credential-x, named by credsStore in .*config\.json, failed for localhost:5000 with exit code 3: the vault is locked$/,
  ],
  ["says no to the standard error", "echo 'no D-Bus' >&2; exit 1", /with exit code 1: no D-Bus$/],
  ["dies", "kill -9 $$", /with a signal: no reason given$/],
  [
    "answers with something else",
    "echo 's3cret'",
    /answered for localhost:5000 with something else than \{"Username", "Secret"\}$/,
  ],
  ["answers with half of it", `echo '{"Secret":"s3cret"}'`, /with something else than/],
])("says which helper said what when it %s", async (_, script, message) => {
  const { find } = await home({ credsStore: "x" }, { x: script });
  const error: unknown = await find().catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "credentials-failed", message: expect.stringMatching(message) });
  expect(String(error)).not.toContain("s3cret");
});

it("does not mind a helper that ends without having read", async () => {
  const { find } = await home({ credsStore: "x" }, { x: "echo 'credentials not found in native keychain'; exit 1" });
  // More than a pipe holds, so that something is left to write when it has ended.
  expect((await find(`${"a".repeat(200_000)}.example`)).auth).toBeUndefined();
});

it("says so when a helper is not installed, or no program", async () => {
  const missing = await home({ credHelpers: { [REGISTRY]: "nowhere" } });
  await expect(missing.find()).rejects.toMatchObject({
    code: "credentials-failed",
    message: `the credential helper docker-credential-nowhere, named by credHelpers in ${missing.path}, is not on the PATH: install it, or take it out there`,
  });
  const odd = await home({ credsStore: "../x" });
  await expect(odd.find()).rejects.toThrow("has a name that is no program's");
});

it("ends a helper that hangs", async () => {
  const { find, dir } = await home({ credsStore: "x" }, { x: 'echo $$ > "$DOCKER_CONFIG/pid"; exec sleep 600' });
  const controller = new AbortController();
  const finding = find(REGISTRY, controller.signal);
  finding.catch(() => {});
  const pid = Number(await started(join(dir, "pid")));
  controller.abort();
  await expect(finding).rejects.toMatchObject({ code: "credentials-failed" });
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it.each([
  ["no JSON", '{"auths": s3cret', "it is not JSON"],
  ["no Base64 of a pair", { auths: { [REGISTRY]: { auth: "s3cret" } } }, `auths["${REGISTRY}"].auth is not`],
  ["no user", { auths: { [REGISTRY]: { auth: base64(":s3cret") } } }, `auths["${REGISTRY}"].auth is not`],
])("says so when the config file holds %s, without showing it", async (_, config, message) => {
  const { find, path } = await home(config);
  const error: unknown = await find().catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "credentials-failed", message: expect.stringContaining(path) });
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(String(error)).not.toContain("s3cret");
});

async function started(path: string): Promise<string> {
  return expect
    .poll(() => readFile(path, "utf8").catch(() => ""))
    .toMatch(/\d\n/)
    .then(() => readFile(path, "utf8"));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
