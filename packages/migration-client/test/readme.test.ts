import { eventually } from "@changeover/testing";
import { readFile } from "node:fs/promises";
import { afterEach, expect, test, vi } from "vitest";
import { scriptedWorker } from "./scripted-worker.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8");

/** Starts one more instance of the job in the README, as a process of its own would. */
async function start(env: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  vi.resetModules();
  await import("./readme-job.js");
}

test("the README shows the job that is run here, and it is short", async () => {
  const code = await read("./readme-job.ts");
  expect(await read("../README.md")).toContain(`\`\`\`js\n${code}\`\`\`\n`);
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
});

test("the job in the README hands over without losing or doubling a number", async () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const timers: NodeJS.Timeout[] = [];
  const { setInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation((run, ms) => {
    const timer = setInterval(run, ms);
    timers.push(timer);
    return timer;
  });

  const worker = await scriptedWorker({
    acknowledge: (token) => (token === "fresh" ? { migration: { id: "m-1" } } : {}),
  });
  await start({ NORSK_WORKER_WS_URL: worker.url, NORSK_WORKER_TOKEN: "first" });
  const source = await worker.connection(0);
  await eventually(() => expect(written.length).toBeGreaterThan(2));

  source.send({ type: "get-state", migrationId: "m-1" });
  const state = await source.frame("state");
  await start({ NORSK_WORKER_TOKEN: "fresh", NORSK_RUNTIME_ROLE: "target" });
  const target = await worker.connection(1);
  target.send({ type: "initial-state", migrationId: "m-1", payload: state.payload });
  const ready = await target.frame("target-ready");
  source.send({ type: "cutover-ready", migrationId: "m-1", payload: ready.payload });
  const stopped = await source.frame("source-stopped-output");
  target.send({ type: "cutover-apply", migrationId: "m-1", payload: stopped.payload });
  await target.frame("target-applied");

  const before = written.length;
  await eventually(() => expect(written.length).toBeGreaterThan(before + 2));
  for (const timer of timers) clearInterval(timer);
  expect(timers).toHaveLength(2);
  expect(written).toEqual(written.map((_, n) => `${n}\n`));
});
