import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOSE_CODE, JOB_SOCKET_ENV, LIMITS } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startMigrationWorker } from "../src/migration-worker.js";
import { ScriptedJob } from "./scripted-job.js";
import { createStage, untilReady } from "./stage.js";

/** A WebSocket of which the test writes every byte itself. */
async function upgrade(url: string): Promise<Socket> {
  const tcp = connect(Number(new URL(url).port), "127.0.0.1");
  tcp.on("error", () => {});
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  tcp.write(
    `GET / HTTP/1.1\r\nHost: worker\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  await once(tcp, "data");
  return tcp;
}

describe("a connection of which it is not known whose it is", () => {
  it.each([
    ["a long hello", LIMITS.maxHelloBytes],
    ["a frame that arrives bit by bit", 4 * 1024 * 1024],
  ])("may not send more than a hello: %s", async (_name, bytes) => {
    const stage = await createStage();
    const stranger = await ScriptedJob.open(stage.worker.url);
    stranger.send({ type: "hello", token: "x".repeat(bytes) });
    await eventually(() =>
      expect(stage.events.at(-1)).toMatchObject({
        type: "rejected",
        code: CLOSE_CODE.frameTooLarge,
        reason: "more than 4096 bytes before hello",
      }),
    );
    // What the stranger may still have to say is not read any more: the socket is cut.
    await stage.clock.advance(1_000);
    await eventually(() => expect(stage.clock.pending).toBe(0));
  });

  it("may not begin a frame that is larger than a hello, whether it ever ends it or not", async () => {
    const stage = await createStage();
    const tcp = await upgrade(stage.worker.url);
    // The head of a masked text frame of 4 MiB, and a little more of it than a hello may have.
    const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0]);
    tcp.write(Buffer.concat([head, Buffer.alloc(LIMITS.maxHelloBytes + 1, 0x20)]));
    const reason = "more than 4096 bytes before hello";
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ type: "rejected", reason }));
    tcp.destroy();
  });

  it("is one of at most 1,024 of its address, and those that are known do not count", async () => {
    const stage = await createStage();
    const strangers = await Promise.all(Array.from({ length: 1_024 }, () => ScriptedJob.open(stage.worker.url)));
    const oneTooMany = await ScriptedJob.open(stage.worker.url);
    expect(await oneTooMany.closed).toEqual({
      code: CLOSE_CODE.tooMany,
      reason: "too many from this address: connections without hello",
    });
    strangers.pop()?.cut();
    await eventually(async () => {
      const known = await ScriptedJob.connect(stage.sourceEnv);
      expect(known.types).toEqual(["hello-ack"]);
    });
    for (const stranger of strangers) stranger.cut();
  });
});

describe("a known job", () => {
  it("may not send frames without end", async () => {
    const stage = await createStage();
    for (let i = 0; i < 250; i++) stage.source.send({ type: "source-stopped-output", payload: i });
    expect(await stage.source.closed).toEqual({ code: CLOSE_CODE.tooMany, reason: "more than 50 frames a second" });
  });

  it("is cut when it does not read, and the worker's memory stays bounded", async () => {
    const stage = await createStage(undefined, { maxFrameBytes: 1024 * 1024 });
    stage.source.stall();
    const isCut = (): boolean => stage.events.some((event) => event.type === "disconnected" && event.side === "source");
    let handovers = 0;
    for (; !isCut() && handovers < 100; handovers++) {
      const controller = new AbortController();
      const run = stage.handOver({ signal: controller.signal });
      // It answers without reading what it is asked.
      stage.source.send({ type: "state", payload: 1 });
      const target = await ScriptedJob.connect(await run.targetEnv);
      target.send({ type: "target-ready", payload: "x".repeat(1_000_000) });
      await eventually(() =>
        expect(stage.events.filter((event) => event.type === "phase" && event.phase === "stop")).toHaveLength(
          handovers + 1,
        ),
      );
      controller.abort();
      await run.end;
    }
    expect(stage.events).toContainEqual(
      expect.objectContaining({
        type: "disconnected",
        reason: expect.stringMatching(/^the job does not read: \d+ bytes/),
      }),
    );
    // What the system's own buffers take, and twice the largest frame.
    expect(handovers).toBeLessThan(40);
  });

  it("may send as large a frame as the worker was told to take", async () => {
    const stage = await createStage(undefined, { maxFrameBytes: 10_000 });
    const run = stage.handOver();
    await untilReady(stage, run);
    stage.source.send({ type: "source-stopped-output", payload: "x".repeat(10_000) });
    expect((await stage.source.closed).code).toBe(CLOSE_CODE.frameTooLarge);
  });
});

describe("a web page", () => {
  it.each([
    ["breaks the framing after its hello", true, Buffer.from([0xff, 0xff, 0xff])],
    ["breaks the framing at once", false, Buffer.from([0xff, 0xff, 0xff])],
    ["resets its connection", false, undefined],
  ])("that %s ends nothing but its own connection", async (_name, saysHello, garbage) => {
    const stage = await createStage();
    const tcp = await upgrade(stage.worker.url);
    const ended = new Promise((resolve) => tcp.once("close", resolve));
    if (saysHello) {
      const hello = JSON.stringify({ type: "hello", token: stage.sourceEnv[JOB_SOCKET_ENV.token] });
      tcp.write(Buffer.concat([Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]), Buffer.from(hello)]));
      await once(tcp, "data");
    }
    if (garbage) tcp.write(garbage);
    else tcp.resetAndDestroy();
    await ended;
    const next = await ScriptedJob.connect(stage.sourceEnv);
    expect(next.types).toEqual(["hello-ack"]);
  });

  it("is refused unless its origin is allowed", async () => {
    const stage = await createStage(undefined, { allowedOrigins: ["https://studio.example"] });
    const job = await ScriptedJob.connect(stage.sourceEnv, { origin: "https://studio.example" });
    expect(job.types).toEqual(["hello-ack"]);
    const page = new WebSocket(stage.worker.url, { origin: "https://evil.example" });
    const error = await new Promise<Error>((resolve) => page.once("error", resolve));
    expect(error.message).toContain("403");
    expect(stage.events.at(-1)).toMatchObject({ type: "rejected", code: 403 });
  });
});

describe("TLS", () => {
  it("is what instances connect by when the worker has a key and a certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "changeover-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const how = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
    execFileSync("openssl", [...how, ...subject, "-keyout", key, "-out", cert], { stdio: "pipe" });
    const worker = await startMigrationWorker({ tls: { key: readFileSync(key), cert: readFileSync(cert) } });
    onTestFinished(() => worker.close());
    expect(worker.url).toMatch(/^wss:/);
    const { env } = worker.register("job-1");
    const job = await ScriptedJob.connect(env, { ca: readFileSync(cert) });
    expect(job.types).toEqual(["hello-ack"]);
  });
});
