import { eventually } from "@changeover/testing";
import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pack } from "tar-stream";
import { describe, expect, it } from "vitest";
import { launch, LABELS, type LogLine } from "../src/index.js";
import { bestTimeOf, engineFixture, healthy, idle, manifestWith, rejectionOf, serving } from "./fixture.js";

const { engine, launch: run, leftovers, choicesFor } = await engineFixture();

async function collect(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** An image that says nothing about what to run. */
async function emptyImage(): Promise<string> {
  const tar = pack();
  tar.entry({ name: "empty" }, "");
  tar.finalize();
  const [repo, tag] = ["changeover-test/empty", randomBytes(4).toString("hex")];
  const stream = await engine.docker.importImage(Readable.from(tar, { objectMode: false }), { repo, tag });
  await text(stream);
  return `${repo}:${tag}`;
}

describe("a product", () => {
  it("is ready when it answers over HTTP on its published port", async () => {
    const product = await run(healthy, serving());
    const { control } = product.ports;
    expect(control?.host).toBe("127.0.0.1");
    const response = await fetch(`http://127.0.0.1:${control?.port}/healthz`);
    expect(response.status).toBe(200);
    await product.remove();
    expect(await leftovers()).toEqual([]);
  });

  it("without health is ready when it has stayed up for a second", async () => {
    const startedAt = performance.now();
    await run(manifestWith({ ports: {} }), idle);
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  });

  it("is labelled, removes itself, and knows its host", async () => {
    const choices = choicesFor(serving());
    const { id } = await launch(engine, healthy, choices);
    const { Config, HostConfig, Name } = await engine.docker.getContainer(id).inspect();
    expect(Name).toBe(`/${choices.name}`);
    expect(Config.Labels).toMatchObject({
      [LABELS.role]: "product",
      [LABELS.name]: choices.name,
      [LABELS.manifestDigest]: expect.stringMatching(/^sha256:/),
    });
    expect(HostConfig).toMatchObject({ AutoRemove: true, Init: true, Privileged: false });
    expect(HostConfig.ExtraHosts).toEqual(["host.docker.internal:host-gateway"]);
  });

  it("publishes every port of its manifest and no other", async () => {
    const manifest = manifestWith({ ports: { control: 4321, web: 8080 }, health: { path: "/healthz" } });
    const { id, ports } = await run(manifest, serving());
    const { NetworkSettings } = await engine.docker.getContainer(id).inspect();
    expect(Object.keys(NetworkSettings.Ports).toSorted()).toEqual(["4321/tcp", "8080/tcp"]);
    expect(new Set(Object.values(ports).map(({ port }) => port)).size).toBe(2);
  });

  it("that exits at start-up fails the launch with its exit code and last lines, and leaves nothing", async () => {
    const choices = choicesFor(`
      for (let i = 1; i <= 30; i++) console.log("line " + i);
      console.error("no such device");
      process.exit(3);`);
    const error = await rejectionOf(launch(engine, healthy, choices));
    expect(error).toMatchObject({ code: "container-exited", end: { exitCode: 3, oomKilled: false } });
    expect(error).toMatchObject({
      message: expect.stringContaining(
        `the product container "${choices.name}" (image "${choices.image}") exited with code 3 before it was ready`,
      ),
    });
    expect(error).toMatchObject({ message: expect.stringMatching(/line 30$/m) });
    expect(error).toMatchObject({ message: expect.stringMatching(/no such device/) });
    expect(error).not.toMatchObject({ message: expect.stringMatching(/line 9$/m) });
    expect(await leftovers()).toEqual([]);
  });

  it("that exits at start-up fails the launch within 2 s", async () => {
    const tookMs = await bestTimeOf(2_000, async () => {
      expect(await rejectionOf(run(healthy, "process.exit(3)"))).toMatchObject({ code: "container-exited" });
    });
    expect(tookMs).toBeLessThan(2_000);
  });

  it("without health that exits at start-up fails the launch as well", async () => {
    const error = await rejectionOf(run(manifestWith(), "process.exit(4)"));
    expect(error).toMatchObject({ code: "container-exited", end: { exitCode: 4 } });
    expect(await leftovers()).toEqual([]);
  });

  it("whose command does not exist says so", async () => {
    const error = await rejectionOf(run(healthy, "", { command: ["no-such-program"] }));
    expect(error).toMatchObject({ code: "container-exited", message: expect.stringContaining("no-such-program") });
    const plain = await rejectionOf(run(healthy, "", { command: ["no-such-program"], init: false }));
    expect(plain).toMatchObject({ code: "start-failed", message: expect.stringContaining("no-such-program") });
    expect(await leftovers()).toEqual([]);
  });

  it("that never becomes ready fails the launch with the last answer and leaves nothing", async () => {
    const error = await rejectionOf(run(healthy, serving(503), {}, { timeouts: { readyMs: 1_500 } }));
    expect(error).toMatchObject({
      code: "not-ready",
      message: expect.stringMatching(
        /until its port control \(4321 in the container\) answers http:\/\/127\.0\.0\.1:\d+\/healthz with 2xx took longer than 1500 ms \(timeouts\.readyMs\): HTTP 503; its last output:\n +listening soon/,
      ),
    });
    expect(await leftovers()).toEqual([]);
  });

  it("that listens on its own loopback fails the launch with what to change", async () => {
    const manifest = manifestWith({ health: { path: "/", startupTimeoutMs: 1_500 } });
    const script = `require("node:http").createServer((_, response) => response.end()).listen(4321, "127.0.0.1")`;
    expect(await rejectionOf(run(manifest, script))).toMatchObject({
      code: "not-ready",
      message: expect.stringMatching(
        /took longer than 1500 ms \(health\.startupTimeoutMs\): no answer \(.+\); inside the container the service must listen on 0\.0\.0\.0:4321; it printed nothing$/,
      ),
    });
  });

  it("that crashes tells the error and not what Node prints after it", async () => {
    const error = await rejectionOf(run(healthy, "throw new TypeError('no such device')"));
    expect(error).toMatchObject({
      end: { reason: "exited with code 1; last error in the output: TypeError: no such device" },
    });
  });

  it("whose network does not exist, or that has nothing to run, says what to do", async () => {
    expect(await rejectionOf(run(healthy, idle, { network: "changeover-nonet" }))).toMatchObject({
      code: "start-failed",
      message: expect.stringMatching(/network changeover-nonet not found\nCreate it \(docker network create /),
    });
    const empty = await emptyImage();
    const { command: _, ...choices } = choicesFor("", { image: empty });
    expect(await rejectionOf(launch(engine, healthy, choices))).toMatchObject({
      code: "engine-failed",
      message: expect.stringMatching(/No command specified\nGive a command, or an image that has one/),
    });
    await engine.docker.getImage(empty).remove({ force: true });
    expect(await leftovers()).toEqual([]);
  });

  it("that dies while it is asked fails the launch at once", async () => {
    const choices = choicesFor(serving(503));
    const launching = rejectionOf(launch(engine, healthy, choices));
    const port = await eventually(async () => {
      const { NetworkSettings } = await engine.docker.getContainer(choices.name).inspect();
      const binding = NetworkSettings.Ports["4321/tcp"]?.[0];
      if (binding === undefined) throw new Error("not published yet");
      await fetch(`http://127.0.0.1:${binding.HostPort}/`);
      return Number(binding.HostPort);
    });
    const killedAt = performance.now();
    get({ port, path: "/exit" }).on("error", () => {});
    expect(await launching).toMatchObject({ code: "container-exited", end: { exitCode: 5 } });
    // At once, and not when the minute for starting up is over: how fast is a matter of the engine.
    expect(performance.now() - killedAt).toBeLessThan(10_000);
    expect(await leftovers()).toEqual([]);
  });

  it("that is limited by its manifest sees it", async () => {
    const limited = manifestWith({ ports: {}, resources: { cpus: 0.5, memory: "64m", shm: "32m" } });
    const script =
      "const { blocks, bsize } = fs.statfsSync('/dev/shm'); console.log(blocks * bsize); setInterval(() => {}, 1e6)";
    const product = await run(limited, script);
    const { HostConfig } = await engine.docker.getContainer(product.id).inspect();
    expect(HostConfig).toMatchObject({ NanoCpus: 500_000_000, Memory: 64 * 1024 ** 2, MemorySwap: 64 * 1024 ** 2 });
    const [line] = await collect(product.logs({ follow: false }));
    expect(line?.line).toBe(String(32 * 1024 ** 2));
  });

  it("that runs out of memory says so", async () => {
    const script = "const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1));";
    const error = await rejectionOf(run(healthy, script, { memoryBytes: 64 * 1024 * 1024 }));
    expect(error).toMatchObject({
      code: "container-exited",
      message: expect.stringContaining("ran out of memory and was killed"),
      end: { exitCode: 137, oomKilled: true },
    });
  });
});

describe("a job", () => {
  it("is launched as soon as it has started, and its end is told", async () => {
    const job = await run(manifestWith(), "setTimeout(() => { console.error('done'); process.exit(7); }, 300)", {
      role: "job",
    });
    const { Config } = await engine.docker.getContainer(job.id).inspect();
    expect(Config.Labels[LABELS.role]).toBe("job");
    expect(await job.gone).toEqual({
      exitCode: 7,
      oomKilled: false,
      logTail: ["done"],
      reason: "exited with code 7; last output: done",
    });
  });
});

describe("the environment", () => {
  it("arrives as it was given", async () => {
    const values = {
      EQUALS: "a=b==c",
      LINES: "one\ntwo\r\n",
      UNICODE: "für Ø 🎬",
      EMPTY: "",
      SPACES: "  x ",
      QUOTES: `'"$X`,
    };
    const parameters = Object.fromEntries(Object.keys(values).map((name) => [name, {}]));
    const manifest = manifestWith({ parameters: { ...parameters, DEFAULTED: { default: "d" } } });
    const job = await run(manifest, "console.log(JSON.stringify(process.env))", {
      role: "job",
      env: values,
      infrastructureEnv: { NORSK_RUNTIME_ID: "j-1" },
    });
    const { logTail } = await job.gone;
    expect(JSON.parse(logTail.join(""))).toMatchObject({ ...values, DEFAULTED: "d", NORSK_RUNTIME_ID: "j-1" });
  });

  it("keeps its secrets out of logs, ends and errors", async () => {
    const manifest = manifestWith({ parameters: { STREAM_KEY: { secret: true, required: true } } });
    const secrets = { env: { STREAM_KEY: "hunter2" }, infrastructureEnv: { NORSK_WORKER_TOKEN: "t0ken" } };
    const script = "console.log(process.env.STREAM_KEY, process.env.NORSK_WORKER_TOKEN, 'x');";
    const error = await rejectionOf(run(manifest, `${script} process.exit(1)`, secrets));
    expect(error).toMatchObject({ message: expect.stringContaining("    *** *** x"), end: { logTail: ["*** *** x"] } });
    const job = await run(manifest, `${script} ${idle}`, { ...secrets, role: "job" });
    for await (const { line } of job.logs()) {
      expect(line).toBe("*** *** x");
      break;
    }
  });
});

describe("the log", () => {
  const printing = "console.log('1 ä'); console.error('2'); console.log('3');";

  it("is read line by line, with its streams, until the container ends", async () => {
    const job = await run(manifestWith(), `${printing} setTimeout(() => {}, 500)`, { role: "job" });
    const lines = await collect(job.logs());
    expect(lines).toHaveLength(3);
    expect(lines.filter(({ stream }) => stream === "stdout").map(({ line }) => line)).toEqual(["1 ä", "3"]);
    expect(lines.filter(({ stream }) => stream === "stderr").map(({ line }) => line)).toEqual(["2"]);
  });

  it("can be read so far, and its last lines", async () => {
    const job = await run(manifestWith(), `${printing} ${idle}`, { role: "job" });
    await eventually(async () => expect(await collect(job.logs({ follow: false }))).toHaveLength(3));
    expect(await collect(job.logs({ follow: false, tail: 1 }))).toHaveLength(1);
    await expect(collect(job.logs({ tail: -1 }))).rejects.toThrow("tail must be a whole number of at least 0, is -1");
  });

  it("of a container that is gone are the last lines that were kept", async () => {
    const job = await run(manifestWith(), printing, { role: "job" });
    await job.gone;
    await job.remove();
    expect(await collect(job.logs())).toHaveLength(3);
    expect(await collect(job.logs({ tail: 2 }))).toHaveLength(2);
    expect(await collect(job.logs({ tail: 9 }))).toHaveLength(3);
  });
});
