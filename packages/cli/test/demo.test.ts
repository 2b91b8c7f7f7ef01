import { execFileSync } from "node:child_process";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { expectedReport, reportKeys, runCli } from "./run-cli.js";

/** The ids of the jobs that a demo has started. */
function jobsOf(pid: number): string[] {
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

  it("leaves no job running when it is interrupted", async () => {
    const { child, done } = runCli(["demo", "--json"]);
    const jobs = await eventually(() => {
      const found = jobsOf(child.pid ?? 0);
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    child.kill("SIGINT");
    const { code, stderr } = await done;
    expect(code).toBe(130);
    expect(stderr).toContain("stopped by SIGINT");
    expect(jobs.filter(isRunning)).toEqual([]);
  });
});

describe("an interrupted demo", { timeout: 60_000 }, () => {
  it.each([0, 150, 400, 3_000])("ends at once when that happens %d ms after its first line", async (delayMs) => {
    const { child, done } = runCli(["demo", "--json"]);
    await new Promise((resolve) => child.stderr?.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const jobs = jobsOf(child.pid ?? 0);
    child.kill("SIGINT");
    const { code, stderr } = await done;
    expect(stderr).toContain("stopped by SIGINT");
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(130);
    expect(jobs.filter(isRunning)).toEqual([]);
  });

  it.each(["is wrong", "a job refuses", "a target is killed", "For comparison"])(
    "ends at once after %j",
    async (text) => {
      const { child, done } = runCli(["demo", "--json"]);
      let seen = "";
      await new Promise<void>((resolve) => {
        child.stderr?.on("data", (data) => {
          seen += String(data);
          if (seen.includes(text)) resolve();
        });
      });
      child.kill("SIGTERM");
      const { code, stderr } = await done;
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(code).toBe(143);
    },
  );

  it("whose reader goes away ends quietly", async () => {
    const { child, done } = runCli(["demo"]);
    child.stdout?.once("data", () => child.stdout?.destroy());
    const { code, stderr } = await done;
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain("EPIPE");
    expect(code).toBe(141);
  });

  it("that is killed leaves no job behind", async () => {
    const { child, done } = runCli(["demo", "--json"]);
    const jobs = await eventually(() => {
      const found = jobsOf(child.pid ?? 0);
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    child.kill("SIGKILL");
    await done;
    await eventually(() => expect(jobs.filter(isRunning)).toEqual([]));
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
