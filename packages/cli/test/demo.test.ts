import { execFileSync, type ChildProcess } from "node:child_process";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { expectedReport, reportKeys, runCli } from "./run-cli.js";

/** The ids of the processes that a demo has started: jobs, and a worker. */
function childrenOf(pid: number): string[] {
  const processes = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return processes.flatMap((line) => {
    const [id = "", parent = ""] = line.trim().split(/\s+/);
    return Number(parent) === pid ? [id] : [];
  });
}

function isRunning(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

describe("changeover demo", { timeout: 60_000 }, () => {
  it("hands over without losing or doubling anything, and prints one JSON object", async () => {
    const { code, stdout, stderr } = await runCli(["demo", "--json"]).done;
    expect(stderr).toContain("10 handovers in a row");
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject(expectedReport("process"));
    expect(Object.keys(Object(report))).toEqual(reportKeys);
    expect(code).toBe(0);
  });

  it("shows a person what happens and the result as a table, without colours where there is no terminal", async () => {
    const { code, stdout, stderr } = await runCli(["demo"], { NO_COLOR: "1" }).done;
    expect(stdout).toMatch(/│ changeover +│ +10 │ +0 │ +0 │/);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("says what it tried where there is no engine", async () => {
    const { code, stdout, stderr } = await runCli(["demo", "--docker", "--json"], {
      DOCKER_HOST: "unix:///nowhere/docker.sock",
    }).done;
    expect(stdout).toBe("");
    expect(stderr).toContain("unix:///nowhere/docker.sock");
    expect(stderr).toMatch(/Start Docker/);
    expect(code).toBe(1);
  });
});

/** Resolves when a demo has said this. */
function says(demo: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve) => {
    demo.stderr?.on("data", (data) => {
      seen += String(data);
      if (seen.includes(text)) resolve();
    });
  });
}

describe("an interrupted demo", { timeout: 60_000 }, () => {
  it.each([
    ["SIGINT", 130, "changeover demo", 0],
    ["SIGINT", 130, "changeover demo", 150],
    ["SIGINT", 130, "changeover demo", 400],
    ["SIGINT", 130, " 3  propose", 0],
    ["SIGTERM", 143, "a job refuses", 0],
    ["SIGTERM", 143, "a target is killed", 0],
    ["SIGTERM", 143, "a source is killed", 800],
    ["SIGTERM", 143, "a worker is killed", 0],
  ] as const)("ends by %s at once, with %d, after %j and %d ms", async (signal, expectedCode, text, delayMs) => {
    const { child, done } = runCli(["demo", "--json"]);
    await says(child, text);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const children = childrenOf(child.pid ?? 0);
    child.kill(signal);
    const { code, stderr } = await done;
    expect(stderr).toContain(`stopped by ${signal}`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(expectedCode);
    await eventually(() => expect(children.filter(isRunning)).toEqual([]));
  });

  it("whose reader goes away ends quietly", async () => {
    const { child, done } = runCli(["demo"]);
    child.stdout?.once("data", () => child.stdout?.destroy());
    const { code, stderr } = await done;
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain("EPIPE");
    expect(code).toBe(141);
  });

  it.each([" 3  propose", "a source is killed"])("that is killed after %j leaves no process behind", async (text) => {
    const { child, done } = runCli(["demo", "--json"]);
    await says(child, text);
    const children = await eventually(() => {
      const found = childrenOf(child.pid ?? 0);
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    child.kill("SIGKILL");
    await done;
    await eventually(() => expect(children.filter(isRunning)).toEqual([]));
  });
});

describe("changeover", () => {
  it.each([
    [["dance"], "unknown command 'dance'"],
    [["demo", "--fast"], "unknown option '--fast'"],
  ])("refuses %j and points to the help", async (args, message) => {
    const { code, stdout, stderr } = await runCli(args).done;
    expect(stderr).toContain(message);
    expect(stderr).toContain("--help");
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});
