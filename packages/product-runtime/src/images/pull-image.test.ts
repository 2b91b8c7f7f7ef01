import Docker from "dockerode";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../engine.js";
import { ensureImage } from "../ensure-image.js";
import { pullImage, type PullImageOptions } from "./pull-image.js";
import type { PullProgress } from "./pull-progress.js";

const ID = `sha256:${"ab".repeat(32)}`;
const PULLING = '{"status":"Pulling from x","id":"1"}\n';
const LAYER = '{"status":"Pulling fs layer","progressDetail":{},"id":"layer"}\n';
const DONE = '{"status":"Status: Downloaded newer image for x:1"}\n';
const env = { HOME: "/nonexistent" };

interface FakeEngine {
  readonly engine: Engine;
  /** Queries and credentials of the pulls that it was asked for. */
  readonly pulls: { query: Record<string, string>; auth: unknown; isClosed: boolean }[];
  /** Images that it has. */
  readonly images: Set<string>;
}

/** What answers as an engine does, with the pull that a test wants. */
async function fakeEngine(answerPull: (response: ServerResponse) => void): Promise<FakeEngine> {
  const pulls: FakeEngine["pulls"] = [];
  const images = new Set<string>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "", "http://engine");
    if (url.pathname !== "/images/create") {
      const isThere = images.has(decodeURIComponent(url.pathname.slice("/images/".length, -"/json".length)));
      response.statusCode = isThere ? 200 : 404;
      response.end(JSON.stringify(isThere ? { Id: ID } : { message: "no such image" }));
      return;
    }
    const header = String(request.headers["x-registry-auth"] ?? "");
    const auth: unknown = header === "" ? undefined : JSON.parse(Buffer.from(header, "base64url").toString());
    const pull = { query: Object.fromEntries(url.searchParams), auth, isClosed: false };
    response.on("close", () => (pull.isClosed = true));
    pulls.push(pull);
    answerPull(response);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ host: "127.0.0.1", port, protocol: "http" });
  return { engine: { docker, description: "an engine", isLocal: true, host: "127.0.0.1" }, pulls, images };
}

async function progressOf(engine: Engine, image: string, options: PullImageOptions = {}): Promise<PullProgress[]> {
  const seen: PullProgress[] = [];
  for await (const progress of pullImage(engine, image, { env, ...options })) seen.push(progress);
  return seen;
}

it.each([
  ["x", "x", "latest"],
  ["x:1", "x", "1"],
  ["localhost:5000/x", "localhost:5000/x", "latest"],
  [`x@${ID}`, "x", ID],
  [`localhost:5000/x:1@${ID}`, "localhost:5000/x", ID],
])("asks for one version of %s", async (image, fromImage, tag) => {
  const { engine, pulls, images } = await fakeEngine((response) => response.end(PULLING + DONE));
  images.add(`x:latest`).add("x:1").add("localhost:5000/x:latest").add(`x@${ID}`).add(`localhost:5000/x@${ID}`);
  expect((await progressOf(engine, image)).at(-1)?.fraction).toBe(1);
  expect(pulls).toMatchObject([{ query: { fromImage, tag }, auth: undefined }]);
});

it("gives the registry what the config file has for it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "docker-config-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const auth = Buffer.from("ada:pass?>").toString("base64");
  await writeFile(join(dir, "config.json"), JSON.stringify({ auths: { "localhost:5000": { auth } } }));
  const { engine, pulls } = await fakeEngine((response) => response.end('{"error":"unauthorized"}'));
  await expect(progressOf(engine, "localhost:5000/x", { env: { DOCKER_CONFIG: dir } })).rejects.toMatchObject({
    code: "image-unauthorised",
    message: expect.stringContaining(`the credentials that ${dir}/config.json has for localhost:5000. Log in`),
  });
  expect(pulls).toMatchObject([{ auth: { username: "ada", password: "pass?>", serveraddress: "localhost:5000" } }]);
});

const early = "image-pull-failed";
it.each([
  [
    "an error inside it",
    `${PULLING}{"errorDetail":{"message":"unknown blob"},"error":"?"}\n`,
    "image-incomplete",
    "unknown blob",
  ],
  ["a full disk", `${PULLING}{"error":"write /x: no space left on device"}\n`, "image-disk-failed", "no space left"],
  ["a rate limit", '{"error":"toomanyrequests: slow down"}\n', "image-rate-limited", "toomanyrequests"],
  ["an end before its time", PULLING + LAYER, early, "the engine's answer ended before the pull did"],
  ["an end before anything", "", early, "the engine's answer ended before the pull did"],
  ["an end inside a line", `${PULLING}{"status":"Stat`, early, 'a line that is not JSON: {"status":"Stat'],
  ["a page of a proxy", "<html>502 Bad Gateway</html>\n", "image-registry-unreachable", "not JSON: <html>502 Bad"],
])("fails on an answer of 200 with %s, although the image of before is there", async (_, answer, code, words) => {
  const { engine, images } = await fakeEngine((response) => response.end(answer));
  images.add("x:1");
  await expect(progressOf(engine, "x:1")).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

it("fails when the connection breaks in the middle", async () => {
  const { engine, images } = await fakeEngine((response) => {
    response.write(PULLING, () => response.destroy());
  });
  images.add("x:1");
  await expect(progressOf(engine, "x:1")).rejects.toMatchObject({
    code: early,
    message: expect.stringContaining("the engine's answer broke off"),
  });
});

it("fails when the answer ends well and the image is not there", async () => {
  const { engine } = await fakeEngine((response) => response.end(PULLING + DONE));
  await expect(progressOf(engine, "x:1")).rejects.toMatchObject({ code: early });
});

it("does not mind a line that is not JSON in a pull that succeeds", async () => {
  const { engine, images } = await fakeEngine((response) => response.end(`${PULLING}warning: odd\n${LAYER}${DONE}`));
  images.add("x:1");
  expect((await progressOf(engine, "x:1")).at(-1)).toMatchObject({ fraction: 1, layers: [{ phase: "complete" }] });
});

/** An engine that ends a pull as Podman does, naming an id. */
async function endingWith(id: string): Promise<Engine> {
  const last = `{"status":"Download complete","progressDetail":{},"id":"${id}"}\n`;
  const { engine, images } = await fakeEngine((response) => response.end(LAYER + last));
  images.add("x:1");
  return engine;
}

it("takes the image's id for an end, as Podman says it", async () => {
  expect((await progressOf(await endingWith("ab".repeat(6)), "x:1")).at(-1)?.fraction).toBe(1);
});

it("does not take the end of a layer for one", async () => {
  const engine = await endingWith("cd".repeat(6));
  await expect(progressOf(engine, "x:1")).rejects.toMatchObject({ code: early });
});

/** An engine that begins a pull and does not go on, and the options with which a test can abort. */
async function stalled() {
  const fake = await fakeEngine((response) => response.write(PULLING));
  const controller = new AbortController();
  return { ...fake, controller, options: { env, signal: controller.signal } };
}

it("ends at once with its signal, and lets the engine know", async () => {
  const { engine, pulls, controller, options } = await stalled();
  const progress = pullImage(engine, "x:1", options);
  await progress.next();
  const next = progress.next();
  controller.abort("no longer needed");
  await expect(next).rejects.toMatchObject({ code: "aborted", cause: "no longer needed" });
  await expect.poll(() => pulls[0]?.isClosed).toBe(true);
});

it("asks nothing of the engine when its signal has fired before", async () => {
  const { engine, pulls } = await stalled();
  await expect(progressOf(engine, "x:1", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  expect(pulls).toEqual([]);
});

it("ends when the loop is left", async () => {
  const { engine, pulls, options } = await stalled();
  for await (const { status } of pullImage(engine, "x:1", options)) {
    expect(status).toBe("Pulling from x");
    break;
  }
  await expect.poll(() => pulls[0]?.isClosed).toBe(true);
});

it("ends when its time is over", async () => {
  const { engine, pulls } = await stalled();
  await expect(progressOf(engine, "x:1", { timeoutMs: 50 })).rejects.toMatchObject({
    code: "engine-timeout",
    message: 'pulling the image "x:1" took longer than 50 ms',
  });
  await expect.poll(() => pulls[0]?.isClosed ?? true).toBe(true);
});

/** An engine that pulls what it is told to, and has it already or not. */
async function willingEngine(isThere: boolean): Promise<FakeEngine> {
  const fake = await fakeEngine((response) => {
    fake.images.add("x:1");
    response.end(PULLING + DONE);
  });
  if (isThere) fake.images.add("x:1");
  return fake;
}

it.each([
  ["always", true, 1],
  ["always", false, 1],
  ["if-missing", true, 0],
  ["if-missing", false, 1],
  ["never", true, 0],
] as const)("with the policy %s and an image that is there: %s, pulls %i times", async (policy, isThere, count) => {
  const { engine, pulls } = await willingEngine(isThere);
  await ensureImage(engine, "x:1", { policy, env });
  expect(pulls).toHaveLength(count);
});

it("with the policy never, says what is missing", async () => {
  const { engine, pulls } = await willingEngine(false);
  await expect(ensureImage(engine, "x:1", { policy: "never", env })).rejects.toMatchObject({
    code: "image-not-found",
    message: expect.stringMatching(/^the image "x:1" is not on the engine, and the pull policy is never/),
  });
  expect(pulls).toEqual([]);
});

it("pulls what is missing when ensureImage is given no policy", async () => {
  const { engine, pulls } = await willingEngine(false);
  await ensureImage(engine, "x:1", { env });
  await ensureImage(engine, "x:1", { env });
  expect(pulls).toHaveLength(1);
});

it("does not take an id for a name", async () => {
  const { engine, pulls, images } = await fakeEngine((response) => response.end(DONE));
  await expect(progressOf(engine, ID)).rejects.toMatchObject({
    code: "image-not-found",
    message: expect.stringContaining("an id cannot be pulled"),
  });
  images.add(ID);
  await expect(progressOf(engine, ID)).resolves.toEqual([]);
  expect(pulls).toEqual([]);
});

it.each([
  [{ policy: "allways" }, 'policy must be one of always, if-missing, never, is "allways"'],
  [{ polcy: "never" }, "options: polcy is unknown; known are policy, signal, timeoutMs, env"],
  [{ timeoutMs: 0 }, "timeoutMs must be above 0, is 0"],
])("refuses %j before the engine is asked", async (options, message) => {
  const { engine, pulls } = await stalled();
  const pulling: Promise<unknown> = Reflect.apply(ensureImage, undefined, [engine, "x:1", options]);
  await expect(pulling).rejects.toMatchObject({ code: "invalid-option", message });
  expect(pulls).toEqual([]);
});

it("says what is wrong with a name", async () => {
  const { engine } = await stalled();
  await expect(progressOf(engine, "X:1")).rejects.toMatchObject({
    code: "invalid-option",
    message: 'the image "X:1" cannot be pulled: its repository "X" must be in lower case',
  });
});
