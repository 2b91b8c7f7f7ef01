import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectEngine, ensureImage, pullImage, type PullImageOptions, type PullProgress } from "../src/index.js";
import { buildImage } from "../src/internal.js";
import { readProgress } from "../src/progress-stream.js";
import { rejectionOf } from "./fixture.js";
import { missingRegistry, startRegistry, USER, type Registry } from "./registry-fixture.js";
import { frontOf } from "./registry-front.js";

const engine = await connectEngine();
const REPOSITORY = "team/encoder";
/** An environment without a config file of Docker. */
const nobody = { HOME: "/nonexistent" };

const missing = await missingRegistry();

function forget(image: string): Promise<void> {
  return engine.docker
    .getImage(image)
    .remove({ force: true })
    .catch(() => {});
}

/** Removes an image that a test will have pulled, and returns its name. */
function transient(image: string): string {
  onTestFinished(() => forget(image));
  return image;
}

/** Pushes a fresh image, of a size that takes a few steps, and takes it off the engine. Resolves with its names. */
async function publish(registry: Registry, tag = "1") {
  const name = transient(`${registry.host}/${REPOSITORY}:${tag}`);
  await buildImage(engine, { from: "scratch", files: { "/data": randomBytes(2_000_000) }, tag: name });
  const authconfig = { ...USER, serveraddress: registry.host };
  expect(await readProgress(await engine.docker.getImage(name).push({ authconfig }))).toBeUndefined();
  const { Id, RepoDigests } = await engine.docker.getImage(name).inspect();
  await forget(name);
  return { id: Id, name, byDigest: transient(RepoDigests[0] ?? "") };
}

async function progressOf(image: string, options: PullImageOptions = {}): Promise<PullProgress[]> {
  const seen: PullProgress[] = [];
  for await (const progress of pullImage(engine, image, { env: nobody, ...options })) seen.push(progress);
  return seen;
}

const pulling = (image: string, options: PullImageOptions = {}): Promise<unknown> =>
  rejectionOf(progressOf(image, options));

const inspect = (image: string) => engine.docker.getImage(image).inspect();

describe.skipIf(missing)("from a registry", () => {
  it("tells how far it is, layer by layer and overall", async () => {
    const { name, id } = await publish(await startRegistry());
    const seen = await progressOf(name);
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({
      fraction: 1,
      status: `Status: Downloaded newer image for ${name}`,
      layers: [{ phase: "complete" }],
    });
    expect(seen.at(-1)?.downloadedBytes).toBeGreaterThan(2_000_000);
    expect(new Set(seen.flatMap(({ layers }) => layers.map(({ phase }) => phase)))).toContain("downloading");
    expect(await inspect(name)).toMatchObject({ Id: id });
  });

  it("gets the content of a digest, and no tag with it", async () => {
    const { byDigest, id } = await publish(await startRegistry());
    await ensureImage(engine, byDigest, { env: nobody });
    expect(await inspect(byDigest)).toMatchObject({ Id: id, RepoTags: [], RepoDigests: [byDigest] });
  });

  it("gets what a digest says, whatever tag stands before it", async () => {
    const { byDigest, name, id } = await publish(await startRegistry());
    await ensureImage(engine, byDigest.replace("@", ":other@"), { env: nobody });
    expect(await inspect(byDigest)).toMatchObject({ Id: id, RepoTags: [] });
    await expect(inspect(name)).rejects.toMatchObject({ statusCode: 404 });
  });

  it("gets latest, and nothing else, for a name alone", async () => {
    const registry = await startRegistry();
    const { name } = await publish(registry);
    const latest = await publish(registry, "latest");
    await ensureImage(engine, `${registry.host}/${REPOSITORY}`, { env: nobody });
    expect(await inspect(latest.name)).toMatchObject({ Id: latest.id });
    await expect(inspect(name)).rejects.toMatchObject({ statusCode: 404 });
  });

  it("gets the newest of a tag when it is to, and leaves the one there alone otherwise", async () => {
    const registry = await startRegistry();
    const first = await publish(registry);
    await ensureImage(engine, first.name, { env: nobody });
    const second = await publish(registry);
    // Publishing has taken it off the engine, where the first is to be.
    await ensureImage(engine, first.byDigest, { env: nobody });
    const [repo, tag] = [`${registry.host}/${REPOSITORY}`, "1"];
    await engine.docker.getImage(first.byDigest).tag({ repo, tag });

    await ensureImage(engine, first.name, { env: nobody });
    await ensureImage(engine, first.name, { policy: "never", env: nobody });
    expect(await inspect(first.name)).toMatchObject({ Id: first.id });
    await ensureImage(engine, first.name, { policy: "always", env: nobody });
    expect(await inspect(first.name)).toMatchObject({ Id: second.id });
    expect((await progressOf(first.name)).at(-1)).toMatchObject({
      fraction: 1,
      status: `Status: Image is up to date for ${first.name}`,
    });
  });

  it.each([["another tag"], ["another repository"]])("says so when it does not have it: %s", async (what) => {
    const registry = await startRegistry();
    const { name } = await publish(registry);
    const image = what === "another tag" ? `${name}-nope` : `${registry.host}/nope:1`;
    expect(await pulling(image)).toMatchObject({
      code: "image-not-found",
      message: expect.stringMatching(/cannot be pulled: .*manifest unknown\n.*There are no credentials for 127/s),
    });
  });

  it("says so when it has lost a part, although the image of before is there", async () => {
    const registry = await startRegistry();
    const before = await publish(registry);
    await ensureImage(engine, before.name, { env: nobody });
    const { byDigest } = await publish(registry);
    await ensureImage(engine, before.byDigest, { env: nobody });
    await engine.docker.getImage(before.byDigest).tag({ repo: `${registry.host}/${REPOSITORY}`, tag: "1" });
    await registry.loseBlob(await registry.layerOf(REPOSITORY, "1"));

    expect(await pulling(before.name)).toMatchObject({
      code: "image-incomplete",
      message: expect.stringContaining("unknown blob"),
    });
    expect(await inspect(before.name)).toMatchObject({ Id: before.id });
    await expect(inspect(byDigest)).rejects.toMatchObject({ statusCode: 404 });
  });

  it("says so when it gives no more for now", async () => {
    const registry = await startRegistry();
    await publish(registry);
    const errors = [{ code: "TOOMANYREQUESTS", message: "You have reached your pull rate limit" }];
    const host = await frontOf(registry, (request, response) => {
      if (!request.url?.includes("/manifests/")) return false;
      response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ errors }));
      return true;
    });
    expect(await pulling(`${host}/${REPOSITORY}:1`)).toMatchObject({ code: "image-rate-limited" });
  });

  it("says so when it is out of order", async () => {
    const registry = await startRegistry();
    const host = await frontOf(registry, (_, response) => {
      response.writeHead(503).end();
      return true;
    });
    expect(await pulling(`${host}/${REPOSITORY}:1`)).toMatchObject({ code: "image-registry-unreachable" });
  });

  it("ends at once with its signal, on the engine too, and can be tried again", async () => {
    const registry = await startRegistry();
    await publish(registry);
    const layer = await registry.layerOf(REPOSITORY, "1");
    const held = { count: 0, isClosed: false, isOver: false };
    const host = await frontOf(registry, (request, response) => {
      if (held.isOver || !request.url?.endsWith(layer)) return false;
      held.count += 1;
      response.writeHead(200, { "content-length": 2_000_000 });
      // An engine notices that nobody wants a layer any more when it has read another piece of it.
      const trickle = setInterval(() => response.write("a piece"), 20);
      response.on("close", () => {
        clearInterval(trickle);
        held.isClosed = true;
      });
      return true;
    });
    const image = transient(`${host}/${REPOSITORY}:1`);
    const controller = new AbortController();
    const error = pulling(image, { signal: controller.signal });
    await expect.poll(() => held.count).toBe(1);
    controller.abort("no longer needed");
    expect(await error).toMatchObject({ code: "aborted", cause: "no longer needed" });
    await expect.poll(() => held.isClosed, { timeout: 5_000 }).toBe(true);

    held.isOver = true;
    await ensureImage(engine, image, { env: nobody });
  });
});

describe.skipIf(missing)("from a registry with a password", () => {
  /** An environment with this config file of Docker, and a helper that knows this password. */
  async function home(config: object, password = USER.password): Promise<NodeJS.ProcessEnv> {
    const dir = await mkdtemp(join(tmpdir(), "docker-config-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, "config.json"), JSON.stringify(config));
    const helper = join(dir, "docker-credential-vault");
    const answer = JSON.stringify({ Username: USER.username, Secret: password });
    await writeFile(helper, `#!/bin/sh\n[ "$1" = get ] && echo '${answer}'\n`);
    await chmod(helper, 0o755);
    return { DOCKER_CONFIG: dir, PATH: `${dir}:${process.env["PATH"]}` };
  }
  const auths = (host: string, password = USER.password): object => ({
    auths: { [host]: { auth: Buffer.from(`${USER.username}:${password}`).toString("base64") } },
  });

  it.each([
    ["auths", auths],
    ["credsStore", () => ({ credsStore: "vault" })],
    ["credHelpers", (host: string) => ({ credHelpers: { [host]: "vault" } })],
  ])("gets an image with the credentials of %s", async (_, config) => {
    const registry = await startRegistry({ hasPassword: true });
    const { name, id } = await publish(registry);
    await ensureImage(engine, name, { env: await home(config(registry.host)) });
    expect(await inspect(name)).toMatchObject({ Id: id });
  });

  it("says that there were no credentials", async () => {
    const registry = await startRegistry({ hasPassword: true });
    const { name } = await publish(registry);
    expect(await pulling(name)).toMatchObject({
      code: "image-unauthorised",
      message: expect.stringContaining(
        `There are no credentials for ${registry.host} in /nonexistent/.docker/config.json`,
      ),
    });
  });

  it.each([
    ["auths", auths, "config.json"],
    ["credsStore", () => ({ credsStore: "vault" }), "docker-credential-vault"],
  ])("says whose credentials were refused, and not which: %s", async (_, config, source) => {
    const registry = await startRegistry({ hasPassword: true });
    const { name } = await publish(registry);
    const error = await pulling(name, { env: await home(config(registry.host, "wr0ng"), "wr0ng") });
    expect(error).toMatchObject({
      code: "image-unauthorised",
      message: expect.stringContaining(`${source} has for ${registry.host}. Log in (docker login ${registry.host})`),
    });
    expect(String(error)).not.toContain("wr0ng");
  });
});
