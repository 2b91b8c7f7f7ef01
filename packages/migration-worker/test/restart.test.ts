import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { JOB_SOCKET_ENV } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMigrationWorker } from "../src/migration-worker.js";
import { helloV2, ScriptedJob } from "./scripted-job.js";
import { createStage, untilApply, untilStop } from "./stage.js";

const program = fileURLToPath(new URL("./worker-process.mjs", import.meta.url));

type Told = Record<string, unknown>;

class WorkerProcess {
  readonly told: Told[] = [];
  readonly #child;

  constructor(port: number, directory: string, leftover = "found") {
    const child = spawn(process.execPath, [program, String(port), directory, leftover], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.told.push(JSON.parse(line)));
    this.#child = child;
    onTestFinished(() => void child.kill("SIGKILL"));
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  tells(key: string): Promise<unknown> {
    return eventually(() => {
      const message = this.told.find((candidate) => key in candidate);
      if (!message) throw new Error(`${key} was not told: ${JSON.stringify(this.told)}`);
      return message[key];
    });
  }

  /** How the handover in flight ended. */
  ended(): Promise<unknown> {
    return eventually(() => {
      const ends = this.told.flatMap(({ event }) => (Object(event).type === "ended" ? [Object(event).end] : []));
      if (ends.length !== 1) throw new Error(`told of ${ends.length} ends: ${JSON.stringify(this.told)}`);
      return ends[0];
    });
  }

  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGKILL");
    await closed;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "changeover-journal-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function isEnvironment(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && JOB_SOCKET_ENV.token in value;
}

async function environment(told: Promise<unknown>): Promise<Record<string, string>> {
  const env = await told;
  if (!isEnvironment(env)) throw new TypeError("no environment was told");
  return env;
}

const phases = ["propose", "place", "ready", "stop", "apply", "commit"] as const;

/** Takes a handover to a phase, kills the worker there, and starts the next on the same port and directory. */
async function killIn(phase: (typeof phases)[number], leftover?: string) {
  const port = await freePort();
  const directory = temporaryDirectory();
  const first = new WorkerProcess(port, directory);
  await first.tells("jobs");
  first.say("register");
  const sourceEnv = await environment(first.tells("env"));
  const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
  first.say(phase === "place" ? "hand over, but never place" : "hand over");
  const { migrationId } = await source.hears("get-state");
  const reaches = (wanted: (typeof phases)[number]): boolean => phases.indexOf(wanted) <= phases.indexOf(phase);
  let targetEnv: Record<string, string> | undefined;
  if (reaches("place")) {
    source.send({ type: "state", migrationId, seq: 1, payload: 1 });
    targetEnv = await environment(first.tells("target"));
  }
  if (targetEnv && reaches("ready")) {
    const target = await ScriptedJob.connect(targetEnv, {}, helloV2);
    await target.hears("initial-state");
    if (reaches("stop")) {
      target.send({ type: "target-ready", migrationId, seq: 1, payload: 2 });
      await source.hears("cutover-ready");
    }
    if (reaches("apply")) {
      source.send({ type: "source-stopped-output", migrationId, seq: 2, payload: 3 });
      await target.hears("cutover-apply");
    }
    if (reaches("commit")) {
      target.send({ type: "target-applied", migrationId, seq: 2 });
      await target.hears("committed");
    }
  }
  await first.kill();
  const next = new WorkerProcess(port, directory, leftover);
  expect(await next.tells("jobs")).toEqual(["job-1"]);
  return { next, migrationId, sourceEnv, targetEnv, directory };
}

describe("a worker that is killed and started again", () => {
  it.each(["propose", "place", "ready"] as const)("in %s lets the source be, and removes the target", async (phase) => {
    const { next, migrationId, sourceEnv } = await killIn(phase);
    expect(await next.ended()).toMatchObject({ outcome: "aborted", phase, active: "source", migrationId });
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    next.say("hand over");
    await source.hears("get-state");
    expect(next.told.some(({ removed }) => removed === "recovered target")).toBe(phase !== "propose");
  });

  it("in stop tells the source to resume", async () => {
    const { next, migrationId, sourceEnv } = await killIn("stop");
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    expect(await source.hears("abort")).toMatchObject({ migrationId, reason: "the worker was restarted" });
    expect(await next.ended()).toMatchObject({ outcome: "aborted", phase: "stop", active: "source" });
    await next.tells("removed");
  });

  it("in apply fences the target that it finds again, and then the source resumes under a newer epoch", async () => {
    const { next, migrationId, sourceEnv } = await killIn("apply");
    expect(await next.tells("recover")).toEqual({ jobId: "job-1", migrationId });
    await next.tells("removed");
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    expect(await source.hears("abort")).toMatchObject({ migrationId, epoch: 3 });
    expect(await next.ended()).toMatchObject({ outcome: "aborted", phase: "apply", active: "source" });
  });

  it("in apply tries a removal again that failed", async () => {
    const { next, sourceEnv } = await killIn("apply", "fails once");
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    await source.hears("abort");
    await next.tells("removed");
    expect(await next.ended()).toMatchObject({ outcome: "aborted", active: "source" });
  });

  it("in apply lets the source resume where there is certainly no target", async () => {
    const { next, sourceEnv } = await killIn("apply", "none");
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    await source.hears("abort");
    expect(await next.ended()).toMatchObject({ outcome: "aborted", active: "source" });
  });

  it("in apply keeps the source silent where the target cannot be found, and refuses to hand over", async () => {
    const { next, sourceEnv } = await killIn("apply", "unknown");
    expect(await next.ended()).toMatchObject({
      outcome: "indeterminate",
      phase: "apply",
      reason: expect.stringContaining("the engine does not answer"),
    });
    const source = await ScriptedJob.connect(sourceEnv, {}, helloV2);
    next.say("hand over");
    source.send({ type: "ping" });
    await source.hears("pong");
    expect(source.types).toEqual(["hello-ack", "pong"]);
  });

  it("in commit knows the target as the active instance, and the source is none any more", async () => {
    const { next, migrationId, sourceEnv, targetEnv = {} } = await killIn("commit");
    const target = await ScriptedJob.connect(targetEnv, {}, helloV2);
    expect(target.heard[0]).not.toHaveProperty("migration");
    expect(await target.hears("committed")).toEqual({ type: "committed", migrationId, epoch: 2 });
    const source = await ScriptedJob.open(sourceEnv[JOB_SOCKET_ENV.url] ?? "");
    source.send({ type: "hello", token: sourceEnv[JOB_SOCKET_ENV.token], ...helloV2 });
    expect((await source.closed).code).toBe(4401);
    next.say("hand over");
    expect(await target.hears("get-state")).toMatchObject({ epoch: 2 });
  });
});

describe("a worker that is closed", () => {
  it("leaves a handover that it cannot cancel to the next one, within bounded time", async () => {
    const directory = temporaryDirectory();
    const stage = await createStage(undefined, { journalDirectory: directory });
    const run = stage.handOver();
    await untilApply(stage, run);
    const left = run.end.catch((error: unknown) => error);
    const closed = stage.worker.close({ graceMs: 200 });
    await stage.clock.advance(200);
    await closed;
    expect(await left).toMatchObject({ code: "closed", message: expect.stringContaining("the next worker ends it") });
    expect((await stage.source.closed).code).toBe(1012);
    expect(run.targetPlacement.isRemoved).toBe(false);
    const next = await startMigrationWorker({
      journalDirectory: directory,
      recoverTarget: async () => run.targetPlacement,
    });
    onTestFinished(() => next.close());
    const end = await new Promise((resolve) => {
      next.subscribe((event) => {
        if (event.type === "ended") resolve(event.end);
      });
    });
    expect(end).toMatchObject({ outcome: "aborted", phase: "apply", active: "source" });
    expect(run.targetPlacement.isRemoved).toBe(true);
  });

  it("cancels what it can, and then there is nothing to wait for", async () => {
    const directory = temporaryDirectory();
    const stage = await createStage(undefined, { journalDirectory: directory });
    const run = stage.handOver();
    await untilStop(stage, run);
    await stage.worker.close();
    expect(await run.end).toMatchObject({ outcome: "aborted", phase: "stop", reason: "the worker is closing" });
    expect(stage.source.types).toContain("abort");
    await eventually(() => expect(stage.clock.pending).toBe(0));
  });
});

function recordsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith(".json"));
}

describe("the journal", () => {
  it("holds no token in clear, and nobody else may read it", async () => {
    const { directory, sourceEnv, targetEnv = {} } = await killIn("ready");
    const [file = ""] = readdirSync(directory);
    const text = readFileSync(join(directory, file), "utf8");
    for (const env of [sourceEnv, targetEnv]) expect(text).not.toContain(env[JOB_SOCKET_ENV.token]);
  });

  it.each([
    ["is cut off", '{"version":1,"jobId"'],
    ["is of a newer version", '{"version":9}'],
  ])("that %s stops the worker, which names the file and leaves it alone", async (_name, text) => {
    const directory = temporaryDirectory();
    const file = join(directory, "am9iLTE.json");
    writeFileSync(file, text);
    await expect(startMigrationWorker({ journalDirectory: directory })).rejects.toThrow(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("is rid of what a worker has left that was killed as it wrote", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "am9iLTE.json.1234567890"), '{"version":1,');
    writeFileSync(join(directory, "notes.txt"), "not the journal's");
    const worker = await startMigrationWorker({ journalDirectory: directory });
    onTestFinished(() => worker.close());
    expect(readdirSync(directory)).toEqual(["notes.txt", "worker.lock"]);
  });

  it("says so when a newer version of the package has written it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "changeover-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, "am9i.json"), '{"version":2}');
    await expect(startMigrationWorker({ journalDirectory: directory })).rejects.toThrow(
      "am9i.json: a newer version of this package has written it, as version 2",
    );
  });

  it("forgets a job that is unregistered", async () => {
    const directory = temporaryDirectory();
    const worker = await startMigrationWorker({ journalDirectory: directory });
    worker.register("job-1");
    expect(recordsIn(directory)).toHaveLength(1);
    await worker.unregister("job-1");
    expect(recordsIn(directory)).toEqual([]);
    await worker.close();
  });

  it("does not bring a job back that was unregistered while its target was in doubt", async () => {
    const directory = temporaryDirectory();
    const stage = await createStage("hangs", { journalDirectory: directory });
    const run = stage.handOver({ deadlines: { apply: 100, fencing: 500 } });
    await untilApply(stage, run);
    await stage.clock.advance(100);
    await stage.clock.advance(500);
    expect(await run.end).toMatchObject({ outcome: "indeterminate" });
    await stage.worker.unregister("job-1");
    run.targetPlacement.die("removed by hand");
    await stage.clock.advance(5_000);
    expect(recordsIn(directory)).toEqual([]);
  });

  it("is written again when that failed, and only when it knows who is active does the source go", async () => {
    const directory = temporaryDirectory();
    const stage = await createStage(undefined, { journalDirectory: directory });
    const run = stage.handOver();
    const target = await untilApply(stage, run);
    const kept = `${directory}-kept`;
    renameSync(directory, kept);
    onTestFinished(() => rmSync(kept, { recursive: true, force: true }));
    writeFileSync(directory, "a file where the directory was");
    target.send({ type: "target-applied" });
    await eventually(() => expect(stage.events).toContainEqual(expect.objectContaining({ type: "journal-failed" })));
    await stage.clock.advance(1_000);
    expect(stage.sourcePlacement.isRemoved).toBe(false);
    rmSync(directory);
    renameSync(kept, directory);
    await stage.clock.advance(1_000);
    const { migrationId } = await run.end;
    const [file = ""] = readdirSync(directory);
    expect(JSON.parse(readFileSync(join(directory, file), "utf8"))).toMatchObject({ active: { migrationId } });
  });

  it("that cannot be written keeps a job from being registered, and a handover from stopping the source", async () => {
    const directory = temporaryDirectory();
    const worker = await startMigrationWorker({ journalDirectory: directory });
    onTestFinished(() => worker.close());
    const { env } = worker.register("job-1");
    const source = await ScriptedJob.connect(env, {}, helloV2);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "a file where the directory was");
    expect(() => worker.register("job-2")).toThrow("job job-2 cannot be registered: ");
    const end = await worker.handover("job-1", { placeTarget: () => Promise.reject(new Error("never called")) });
    expect(end).toMatchObject({
      outcome: "aborted",
      phase: "propose",
      active: "source",
      reason: expect.stringMatching(/^the journal could not be written: /),
    });
    expect(source.types).not.toContain("cutover-ready");
  });
});
