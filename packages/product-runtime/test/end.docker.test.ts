import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { connectEngine, launch } from "../src/index.js";
import { bestTimeOf, engineFixture, healthy, idle, manifestWith, rejectionOf, serving } from "./fixture.js";
import { unreliableLine } from "./unreliable-line.js";

const { engine, launch: run, leftovers, choicesFor } = await engineFixture();
const job = { role: "job" } as const;
const plain = manifestWith();

describe("stop", () => {
  it("takes less than a second for a process that handles no signal", async () => {
    let product = await run(healthy, serving());
    const tookMs = await bestTimeOf(
      1_000,
      async () => product.stop(),
      async () => (product = await run(healthy, serving())),
    );
    expect(tookMs).toBeLessThan(1_000);
    expect(await product.gone).toMatchObject({
      exitCode: 143,
      reason: "exited with code 143 (SIGTERM); last output: listening soon",
    });
    expect(await leftovers()).toEqual([]);
  });

  it("kills what does not end by itself", async () => {
    const stubborn = await run(plain, `process.on("SIGTERM", () => {}); console.log("up"); ${idle}`, job);
    for await (const { line } of stubborn.logs()) if (line === "up") break;
    expect(await stubborn.stop({ timeoutMs: 500 })).toMatchObject({ exitCode: 137 });
  });

  it("lets a process end as it wants", async () => {
    const script = `process.on("SIGTERM", () => { console.log("bye"); process.exit(0); }); console.log("up"); ${idle}`;
    const polite = await run(plain, script, job);
    for await (const { line } of polite.logs()) if (line === "up") break;
    expect(await polite.stop()).toMatchObject({ exitCode: 0, logTail: ["up", "bye"] });
  });

  it("of a container that is gone tells how it ended", async () => {
    const ended = await run(plain, "process.exit(9)", job);
    await ended.gone;
    expect(await ended.stop()).toMatchObject({ exitCode: 9 });
    await expect(ended.stop({ timeoutMs: -1 })).rejects.toThrow("timeoutMs must be at least 0, is -1");
  });
});

describe("remove", () => {
  it("kills, and resolves when the engine no longer knows the container", async () => {
    const running = await run(plain, idle, job);
    await running.remove();
    expect(await leftovers()).toEqual([]);
    expect(await running.gone).toMatchObject({ exitCode: 137 });
  });

  it("can be called twice and at the same time, also with an exit", async () => {
    const running = await run(plain, idle, job);
    await Promise.all([running.remove(), running.kill(), running.remove()]);
    await running.remove();
    expect(await leftovers()).toEqual([]);
  });

  it("is satisfied when somebody else has removed the container", async () => {
    const running = await run(plain, idle, job);
    await engine.docker.getContainer(running.id).remove({ force: true });
    await running.remove();
    expect(await running.gone).toMatchObject({ exitCode: 137 });
  });

  it("frees the name", async () => {
    const choices = choicesFor(idle, job);
    const first = await launch(engine, plain, choices);
    expect(await rejectionOf(launch(engine, plain, choices))).toMatchObject({
      code: "name-taken",
      message: expect.stringContaining(`docker rm -f ${choices.name}`),
    });
    await first.remove();
    await launch(engine, plain, choices);
  });
});

describe("kill", () => {
  it("sends a signal, and nothing to what is gone", async () => {
    const running = await run(plain, idle, job);
    await running.kill();
    expect(await running.gone).toMatchObject({ exitCode: 137, oomKilled: false });
    await running.kill();
    await running.remove();
    await running.kill("SIGTERM");
  });
});

describe("gone", () => {
  it("is not told by a connection that is lost, and is told by the engine afterwards", async () => {
    const line = await unreliableLine(engine);
    const running = await launch(await connectEngine({ env: { DOCKER_HOST: line.url } }), plain, choicesFor(idle, job));
    let isSettled = false;
    void running.gone.then(() => (isSettled = true));

    const before = line.connections;
    line.cut();
    await eventually(() => expect(line.connections).toBeGreaterThan(before));
    expect(isSettled).toBe(false);
    await engine.docker.getContainer(running.id).kill({ signal: "SIGKILL" });
    expect(await running.gone).toMatchObject({ exitCode: 137 });
  });

  it("says that nothing is known of a container that ended while the engine was away", async () => {
    const line = await unreliableLine(engine);
    const running = await launch(await connectEngine({ env: { DOCKER_HOST: line.url } }), plain, choicesFor(idle, job));
    line.isUp = false;
    line.cut();
    await engine.docker.getContainer(running.id).remove({ force: true });
    line.isUp = true;
    expect(await running.gone).toMatchObject({
      exitCode: null,
      reason: "is gone, and the engine no longer knows its exit code; it printed nothing",
    });
  });
});

describe("an abort", () => {
  const aborted = { code: "aborted", cause: "no longer needed" };

  it("before the launch touches nothing", async () => {
    const signal = AbortSignal.abort("no longer needed");
    expect(await rejectionOf(run(healthy, serving(), {}, { signal }))).toMatchObject(aborted);
    expect(await leftovers()).toEqual([]);
  });

  it("in the middle of creation and start leaves nothing behind", async () => {
    for (const afterMs of [1, 20, 100, 300]) {
      const controller = new AbortController();
      const launching = rejectionOf(run(healthy, serving(), {}, { signal: controller.signal }));
      setTimeout(() => controller.abort("no longer needed"), afterMs);
      expect(await launching, `after ${afterMs} ms`).toMatchObject(aborted);
      expect(await leftovers(), `after ${afterMs} ms`).toEqual([]);
    }
  });

  it("while the product is asked whether it is ready leaves nothing behind", async () => {
    const controller = new AbortController();
    const choices = choicesFor(serving(503));
    const launching = rejectionOf(launch(engine, healthy, choices, { signal: controller.signal }));
    await eventually(async () => {
      const { State } = await engine.docker.getContainer(choices.name).inspect();
      if (!State.Running) throw new Error("not running yet");
    });
    controller.abort("no longer needed");
    expect(await launching).toMatchObject(aborted);
    expect(await leftovers()).toEqual([]);
  });

  it("after the launch has no effect", async () => {
    const controller = new AbortController();
    await run(plain, idle, job, { signal: controller.signal });
    controller.abort();
    expect(await leftovers()).toHaveLength(1);
  });
});
