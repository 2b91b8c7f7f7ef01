import { once } from "node:events";
import { connect } from "node:net";
import { CLOSE_CODE, JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { MigrationWorkerError } from "../src/errors.js";
import { startMigrationWorker } from "../src/migration-worker.js";
import { ScriptedJob } from "./scripted-job.js";
import { createStage, untilApply } from "./stage.js";

describe("the job socket", () => {
  it("gives an instance all it needs, and only the environment holds the token", async () => {
    const stage = await createStage();
    expect(stage.sourceEnv).toEqual({
      [JOB_SOCKET_ENV.url]: stage.worker.url,
      [JOB_SOCKET_ENV.token]: expect.stringMatching(/^[\w-]{43}$/),
      [JOB_SOCKET_ENV.jobId]: "job-1",
      [JOB_SOCKET_ENV.role]: "source",
    });
    expect(stage.worker.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    const run = stage.handOver();
    await untilApply(stage, run);
    const tokens = [stage.sourceEnv, await run.targetEnv].map((env) => env[JOB_SOCKET_ENV.token]);
    for (const token of tokens) expect(JSON.stringify(stage.events)).not.toContain(token);
  });

  it("closes an unknown token", async () => {
    const stage = await createStage();
    const stranger = await ScriptedJob.open(stage.worker.url);
    stranger.send({ type: "hello", token: "guess" });
    expect(await stranger.closed).toEqual({ code: CLOSE_CODE.unknownToken, reason: "unknown token" });
    expect(stage.events.at(-1)).toMatchObject({
      type: "rejected",
      code: CLOSE_CODE.unknownToken,
      address: "127.0.0.1",
    });
  });

  it("closes a connection that says nothing", async () => {
    const stage = await createStage();
    const silent = await ScriptedJob.open(stage.worker.url);
    await eventually(() => expect(stage.clock.pending).toBe(1));
    await stage.clock.advance(10_000);
    expect(await silent.closed).toEqual({ code: CLOSE_CODE.helloTimeout, reason: "no hello within 10000 ms" });
  });

  it.each([
    ["text that is not JSON", "{", "the frame is not JSON"],
    ["a frame of an unknown type", '{"type":"dance"}', 'unknown frame type "dance"'],
    ["a second hello", '{"type":"hello","token":"x"}', "hello was sent twice"],
    ["a report of the other role", '{"type":"target-applied"}', "target-applied cannot come from a source"],
  ])("closes %s as a violation", async (_name, text, reason) => {
    const stage = await createStage();
    stage.source.sendText(text);
    expect(await stage.source.closed).toEqual({ code: CLOSE_CODE.protocolViolation, reason });
    expect(stage.events).toContainEqual(expect.objectContaining({ type: "violation", side: "source", reason }));
  });

  it("closes a binary frame and a report before hello as violations", async () => {
    const stage = await createStage();
    stage.source.sendBinary(new Uint8Array([1, 2]));
    expect((await stage.source.closed).code).toBe(CLOSE_CODE.protocolViolation);
    const hasty = await ScriptedJob.open(stage.worker.url);
    hasty.send({ type: "state", payload: 1 });
    expect(await hasty.closed).toEqual({ code: CLOSE_CODE.protocolViolation, reason: "state was sent before hello" });
  });

  it("closes a frame that is too large, with a code that says so", async () => {
    const stage = await createStage();
    stage.source.send({ type: "state", payload: "x".repeat(8 * 1024 * 1024) });
    expect((await stage.source.closed).code).toBe(CLOSE_CODE.frameTooLarge);
    await eventually(() =>
      expect(stage.events.at(-1)).toMatchObject({
        type: "disconnected",
        code: CLOSE_CODE.frameTooLarge,
        reason: "a frame was larger than 8388608 bytes",
      }),
    );
  });

  it("lets the newest connection of an instance win, and a late close of the older one changes nothing", async () => {
    const stage = await createStage();
    const newer = await ScriptedJob.connect(stage.sourceEnv);
    expect((await stage.source.closed).code).toBe(CLOSE_CODE.superseded);
    const run = stage.handOver();
    await newer.hears("get-state");
    newer.send({ type: "state-refused", reason: "heard on the newer one" });
    expect(await run.end).toMatchObject({ reason: "heard on the newer one" });
    expect(stage.events).not.toContainEqual(expect.objectContaining({ type: "disconnected" }));
  });

  it("ignores a report that comes when nothing waits for it", async () => {
    const stage = await createStage();
    stage.source.send({ type: "source-stopped-output", payload: 1 });
    await eventually(() =>
      expect(stage.events.at(-1)).toMatchObject({ type: "ignored", what: "source-stopped-output" }),
    );
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "source-stopped-output", payload: 1 });
    await eventually(() => expect(stage.events.at(-1)).toMatchObject({ reason: "nothing waits for it in propose" }));
    stage.source.send({ type: "state-refused", reason: "still here" });
    expect(await run.end).toMatchObject({ reason: "still here" });
  });

  it("cuts a peer that does not answer the close", async () => {
    const stage = await createStage();
    stage.source.stall();
    await ScriptedJob.connect(stage.sourceEnv);
    await eventually(() => expect(stage.clock.pending).toBe(1));
    await stage.clock.advance(1_000);
    await eventually(() => expect(stage.clock.pending).toBe(0));
  });

  it("forgets a job that is unregistered", async () => {
    const stage = await createStage();
    await stage.worker.unregister("job-1");
    expect((await stage.source.closed).code).toBe(CLOSE_CODE.unknownToken);
    await stage.worker.unregister("job-1");
    stage.worker.register("job-1");
  });

  it("tells its jobs when it closes, and takes nothing new", async () => {
    const worker = await startMigrationWorker();
    const { env } = worker.register("job-1", { capabilities: ["nvidia", "fast"] });
    expect(env[JOB_SOCKET_ENV.capabilities]).toBe("nvidia,fast");
    const job = await ScriptedJob.connect(env);
    const closing = worker.close();
    expect((await job.closed).code).toBe(CLOSE_CODE.workerRestarting);
    await closing;
    await worker.close();
    expect(() => worker.register("job-2")).toThrow(MigrationWorkerError);
  });

  it.each([
    ["says nothing", ""],
    ["sends half a request", "GET / HTTP/1.1\r\nHost: x\r\n"],
  ])("closes although somebody is connected who %s", async (_name, text) => {
    const worker = await startMigrationWorker();
    const socket = connect(Number(new URL(worker.url).port), "127.0.0.1");
    await once(socket, "connect");
    await new Promise((resolve) => socket.write(text, resolve));
    socket.resume().on("error", () => {});
    const gone = new Promise((resolve) => socket.once("close", () => resolve("cut")));
    await worker.close();
    expect(await gone).toBe("cut");
  });

  it("tells whoever comes without a WebSocket what it is", async () => {
    const stage = await createStage();
    const response = await fetch(stage.worker.url.replace("ws:", "http:"));
    expect(response.status).toBe(426);
    expect(await response.text()).toContain("job socket");
  });

  it("refuses to advertise an address that nobody can connect to", async () => {
    await expect(startMigrationWorker({ host: "0.0.0.0" })).rejects.toThrow("set advertisedHost");
    await expect(startMigrationWorker({ advertisedHost: "http://host:5" })).rejects.toThrow(
      'advertisedHost is "http://host:5": it must be a host name or an address, without scheme, port or path',
    );
    const worker = await startMigrationWorker({ host: "0.0.0.0", advertisedHost: "127.0.0.1" });
    expect(worker.url).toMatch(/^ws:\/\/127\.0\.0\.1:/);
    await worker.close();
  });

  it("says what it could not listen on", async () => {
    const worker = await startMigrationWorker();
    const port = Number(new URL(worker.url).port);
    const second = startMigrationWorker({ port });
    await expect(second).rejects.toThrow(`the job socket could not listen on 127.0.0.1:${port}: `);
    await expect(second).rejects.toSatisfy(MigrationWorkerError.isInstance);
    await worker.close();
  });
});
