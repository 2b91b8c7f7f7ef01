/** What jobs, strangers, listeners and launchers do wrong: none of it may end, stop or mislead a worker. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JOB_SOCKET_ENV, LIMITS } from "@changeover/migration-protocol";
import { eventually } from "@changeover/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMigrationWorker } from "../src/migration-worker.js";
import type { Placement } from "../src/placement.js";
import { helloV2, ScriptedJob } from "./scripted-job.js";
import { createStage } from "./stage.js";

function journalDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "changeover-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function recordsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith(".json"));
}

describe("one mistake does not end the worker of all", () => {
  it("a dry run of a state that is nested too deeply to be measured", async () => {
    const uncaught: unknown[] = [];
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => uncaught.push(error));
    onTestFinished(() => {
      process.removeAllListeners("uncaughtException");
      for (const listener of others) process.on("uncaughtException", listener);
    });
    const stage = await createStage();
    const end = stage.worker.dryRun("job-1");
    await stage.source.hears("get-state");
    const depth = 100_000;
    stage.source.sendText(`{"type":"state","payload":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    await eventually(() =>
      expect(uncaught.length + stage.events.filter(({ type }) => type === "ended").length).toBe(1),
    );
    expect(uncaught).toEqual([]);
    expect((await end).outcome).toBe("aborted");
  });

  it("a listener that is an async function and rejects", async () => {
    const unhandled: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error) => unhandled.push(error));
    onTestFinished(() => {
      process.removeAllListeners("unhandledRejection");
      for (const listener of others) process.on("unhandledRejection", listener);
    });
    const stage = await createStage();
    stage.worker.subscribe(async () => Promise.reject(new Error("the database is down")));
    const end = stage.worker.dryRun("job-1");
    stage.source.send({ type: "state", payload: 1 });
    await end;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
  });
});

describe("no token is shown", () => {
  it("where a launch fails with an error that names its command line", async () => {
    const directory = journalDirectory();
    const stage = await createStage("at once", { journalDirectory: directory });
    let token = "";
    const end = stage.worker.handover("job-1", {
      // What execFile of node:child_process rejects with: "Command failed: docker run -e NORSK_WORKER_TOKEN=…".
      placeTarget: async ({ env }) => {
        token = env[JOB_SOCKET_ENV.token] ?? "";
        throw new Error(`Command failed: docker run -e ${JOB_SOCKET_ENV.token}=${token} image`);
      },
    });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    const shown = {
      end: JSON.stringify(await end).includes(token),
      events: JSON.stringify(stage.events).includes(token),
      source: JSON.stringify(await stage.source.hears("abort")).includes(token),
      journal: recordsIn(directory).some((name) => readFileSync(join(directory, name), "utf8").includes(token)),
    };
    expect(shown).toEqual({ end: false, events: false, source: false, journal: false });
  });
});

describe("a stranger is bounded before it becomes a WebSocket too", () => {
  it("a connection that says nothing at all is cut after the time for hello", async () => {
    const worker = await startMigrationWorker();
    const stranger = connect(Number(new URL(worker.url).port), "127.0.0.1");
    onTestFinished(async () => {
      stranger.destroy();
      await worker.close();
    });
    const started = performance.now();
    stranger.resume();
    await Promise.race([
      once(stranger, "close"),
      new Promise((resolve) => setTimeout(resolve, LIMITS.helloTimeoutMs + 2_000)),
    ]);
    expect(performance.now() - started).toBeLessThan(LIMITS.helloTimeoutMs + 1_000);
  }, 20_000);
});

describe("close", () => {
  it("does not wait for a stranger that has not begun its TLS handshake", async () => {
    const directory = journalDirectory();
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const args = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${key} -out ${cert}`;
    execFileSync("openssl", args.split(" "), { stdio: "ignore" });
    const worker = await startMigrationWorker({ tls: { key: readFileSync(key), cert: readFileSync(cert) } });
    const stranger = connect(Number(new URL(worker.url).port), "127.0.0.1");
    stranger.on("error", () => {});
    await once(stranger, "connect");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closing = worker.close().then(() => "closed");
    const late = new Promise((resolve) => setTimeout(resolve, 3_000, "still waiting"));
    try {
      expect(await Promise.race([closing, late])).toBe("closed");
    } finally {
      stranger.destroy();
      await closing;
    }
  });

  it("begins no handover that a listener asks for as its own handover is cancelled", async () => {
    const stage = await createStage();
    stage.handOver().end.catch(() => {});
    await stage.source.hears("get-state");
    let second: Promise<unknown> | undefined;
    stage.worker.subscribe(({ type }) => {
      if (type === "ended") second ??= stage.handOver().end;
    });
    stage.worker.close().catch(() => {});
    expect(second).toBeDefined();
    const begun = new Promise((resolve) => setImmediate(resolve, "it has begun"));
    await expect(Promise.race([second, begun])).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a journal that works again", () => {
  it("lets a commit go on, whatever event wrote it down", async () => {
    const directory = journalDirectory();
    const stage = await createStage("at once", { journalDirectory: directory }, helloV2);
    const run = stage.handOver();
    run.end.catch(() => {});
    const { source } = stage;
    const { migrationId } = await source.hears("get-state");
    source.send({ type: "state", payload: null, migrationId, seq: 1 });
    const target = await ScriptedJob.connect(await run.targetEnv);
    target.send({ type: "target-ready", payload: null });
    await source.hears("cutover-ready");
    source.send({ type: "source-stopped-output", payload: null, migrationId, seq: 2 });
    await target.hears("cutover-apply");
    renameSync(directory, `${directory}-away`);
    target.send({ type: "target-applied" });
    await eventually(() => expect(stage.events.map(({ type }) => type)).toContain("journal-failed"));
    renameSync(`${directory}-away`, directory);
    // Any event of the job writes its record before the retry does.
    source.cut();
    await eventually(() => expect(stage.events.map(({ type }) => type)).toContain("disconnected"));
    await stage.clock.advance(2_000);
    await eventually(() => expect(stage.events).toContainEqual(expect.objectContaining({ type: "ended" })));
  });
});

describe("two workers on one directory", () => {
  it("are warned of where the path is too long for a lock, and nothing else is locked instead", async () => {
    const parent = journalDirectory();
    const warnings: string[] = [];
    const listen = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const directory = join(parent, "d".repeat(120));
    const worker = await startMigrationWorker({ journalDirectory: directory });
    await eventually(() => expect(warnings).toContain(`${directory} is not locked: its path is too long for a socket`));
    expect(readdirSync(parent)).toEqual(["d".repeat(120)]);
    await worker.close();
  });

  it("are one too many: the second does not start, until the first has ended", async () => {
    const directory = journalDirectory();
    const stage = await createStage("at once", { journalDirectory: directory });
    const second = startMigrationWorker({ journalDirectory: directory });
    const message = `the journal cannot be used: another worker has ${directory}. Close that one, or give this one a directory of its own`;
    await expect(second).rejects.toMatchObject({ code: "journal-unusable", message });
    await stage.worker.close();
    await (await startMigrationWorker({ journalDirectory: directory })).close();
  });
});

describe("what a launcher says of an instance", () => {
  it.each([
    ["a number", { reason: 137 }, "the source is gone: 137"],
    ["no reason", { code: 1 }, 'the source is gone: {"code":1}'],
    ["a list", [1, null], "the source is gone: [1,null]"],
    ["nothing", undefined, "the source is gone: no reason was given"],
    [
      "what cannot be shown",
      {
        reason: Object.create(null, {
          toJSON: {
            get: () => {
              throw new Error("no");
            },
          },
        }),
      },
      "the source is gone: a value that cannot be shown",
    ],
  ])("is a reason, and a record that can be read again, if it is %s", async (_, end, reason) => {
    const directory = journalDirectory();
    const stage = await createStage("at once", { journalDirectory: directory });
    const run = stage.handOver({ sourceLost: "abort" });
    await stage.source.hears("get-state");
    const [handle] = stage.worker.jobs();
    // @ts-expect-error: what a caller without types can do.
    handle?.attach({ gone: Promise.resolve(end), remove: async () => {} });
    expect(await run.end).toMatchObject({ outcome: "aborted", reason, active: "none" });
    await stage.worker.close();
    const again = await startMigrationWorker({ journalDirectory: directory });
    expect(again.jobs()).toHaveLength(1);
    await again.close();
  });

  it("is bounded, whoever says it", async () => {
    const stage = await createStage();
    const run = stage.handOver();
    await stage.source.hears("get-state");
    stage.source.send({ type: "state-refused", reason: "x".repeat(1_000_000) });
    const end = await run.end;
    expect(end.outcome === "refused" && end.reason).toBe(`${"x".repeat(1_000)}…`);
  });

  it("ends a handover that is given up for what cannot be shown", async () => {
    const stage = await createStage();
    const controller = new AbortController();
    const end = stage.worker.dryRun("job-1", { signal: controller.signal });
    await stage.source.hears("get-state");
    controller.abort(Object.create(null));
    expect(await end).toMatchObject({ outcome: "aborted", reason: "cancelled: {}" });
  });

  it("removes a target that comes when its worker has ended", async () => {
    const stage = await createStage();
    let place: (placement: Placement) => void = () => {};
    const placing = new Promise<Placement>((resolve) => (place = resolve));
    const run = stage.worker.handover("job-1", { placeTarget: () => placing });
    await stage.source.hears("get-state");
    stage.source.send({ type: "state", payload: 1 });
    await eventually(() =>
      expect(stage.events.some((event) => event.type === "phase" && event.phase === "place")).toBe(true),
    );
    const closing = stage.worker.close();
    // Nobody waits for it longer than for the end of a target that does not go.
    for (let i = 0; i < 5; i++) await stage.clock.advance(200_000);
    await closing;
    expect(await run).toMatchObject({ outcome: "aborted", phase: "place" });
    let isRemoved = false;
    place({
      gone: new Promise(() => {}),
      remove: async () => {
        isRemoved = true;
      },
    });
    await eventually(() => expect(isRemoved).toBe(true));
  });
});

describe("options that cannot work", () => {
  it.each([
    [5, "options is 5: they must be an object"],
    [{ journalDir: "/var/lib" }, "there is no option journalDir: there are host, port"],
    [{ host: 7 }, "host is 7: it must be a host name or an address"],
    [{ port: Number.NaN }, "port is NaN: it must be an integer"],
    [{ maxFrameBytes: 2 ** 31 }, "maxFrameBytes is 2147483648: it must be an integer from 4096 to 2147483647"],
    [{ tls: "" }, 'tls is "": it must be the options of node:https'],
    [{ tls: {} }, "tls is []: it must be the options of node:https, with a key and a certificate"],
    [{ tls: { key: "no key", cert: "no certificate" } }, "tls cannot be used: "],
  ])("are an error that names them: %o", async (options, message) => {
    // @ts-expect-error: what a caller without types can do.
    await expect(startMigrationWorker(options)).rejects.toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining(message),
    });
  });

  it.each([Number.NaN, -1, Infinity, "5s"])(
    "of close are refused, and leave it possible: graceMs %s",
    async (graceMs) => {
      const worker = await startMigrationWorker();
      // @ts-expect-error: what a caller without types can do.
      await expect(worker.close({ graceMs })).rejects.toMatchObject({ code: "invalid-option" });
      await worker.close();
    },
  );
});
