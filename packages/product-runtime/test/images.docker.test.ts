import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { ensureImage } from "../src/index.js";
import { buildImage, importNodeImage } from "../src/internal.js";
import { engineFixture, manifestWith, rejectionOf } from "./fixture.js";

const { engine, image, launch: run } = await engineFixture();
const tags: string[] = [];
afterEach(async () => {
  for (const tag of tags.splice(0)) await engine.docker.getImage(tag).remove({ force: true });
});

function newTag(): string {
  const tag = `changeover-test/image:${randomBytes(4).toString("hex")}`;
  tags.push(tag);
  return tag;
}

describe("ensureImage", () => {
  it("is satisfied with an image that is there", async () => {
    await expect(ensureImage(engine, image)).resolves.toBeUndefined();
  });

  it("says why an image that is missing cannot be pulled", async () => {
    // Nothing listens on the discard port of the engine's host.
    expect(await rejectionOf(ensureImage(engine, "127.0.0.1:9/nope:1"))).toMatchObject({
      code: "image-registry-unreachable",
      message: expect.stringMatching(/"127\.0\.0\.1:9\/nope:1" cannot be pulled: .*connection refused/),
    });
  });

  it("fails a launch before anything is created", async () => {
    const error = await rejectionOf(run(manifestWith(), "", { image: "127.0.0.1:9/nope:1" }));
    expect(error).toMatchObject({ code: "image-registry-unreachable" });
  });

  it("ends with its signal", async () => {
    const signal = AbortSignal.abort("no longer needed");
    expect(await rejectionOf(ensureImage(engine, "127.0.0.1:9/nope:1", { signal }))).toMatchObject({ code: "aborted" });
  });
});

describe("importNodeImage", () => {
  it("is made once", async () => {
    const { Id } = await engine.docker.getImage(image).inspect();
    expect(await importNodeImage(engine)).toBe(image);
    expect((await engine.docker.getImage(image).inspect()).Id).toBe(Id);
  });

  it("runs node, which finds the host by its name", async () => {
    const job = await run(
      manifestWith(),
      "require('node:dns').lookup('host.docker.internal', (error, address) => console.log(error ?? address))",
      { role: "job" },
    );
    const { logTail } = await job.gone;
    expect(logTail.join("\n")).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  });
});

describe("buildImage", () => {
  it("adds files and a command", async () => {
    const tag = await buildImage(engine, {
      from: image,
      tag: newTag(),
      files: {
        "/app/main.mjs": "import { readFileSync } from 'node:fs'; console.log(readFileSync('/app/data', 'hex'));",
        "/app/data": Uint8Array.of(0, 255, 10),
      },
      command: ["node", "/app/main.mjs"],
    });
    const { Config } = await engine.docker.getImage(tag).inspect();
    expect(Config.Cmd).toEqual(["node", "/app/main.mjs"]);
    const job = await run(manifestWith(), "", { role: "job", image: tag, command: ["node", "/app/main.mjs"] });
    expect(await job.gone).toMatchObject({ exitCode: 0, logTail: ["00ff0a"] });
  });

  it("says what went wrong", async () => {
    expect(
      await rejectionOf(buildImage(engine, { from: "127.0.0.1:9/nope:1", tag: "changeover-test/never:1", files: {} })),
    ).toMatchObject({
      code: "image-build-failed",
      message: expect.stringMatching(/^the image "changeover-test\/never:1" cannot be built: .+/),
    });
    expect(
      await rejectionOf(buildImage(engine, { from: image, tag: "changeover-test/never:1", files: { "a.js": "" } })),
    ).toMatchObject({ code: "invalid-option", message: 'files: "a.js" must be an absolute path' });
  });
});
