import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { eventually } from "@changeover/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { Collector } from "../src/demo/collector.js";
import { processesWith } from "./processes.js";
import { runCli, type CliResult } from "./run-cli.js";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));
const ticker = fileURLToPath(new URL("../dist/demo/ticker.mjs", import.meta.url));
const counter = fileURLToPath(new URL("./dev-jobs/counter.mjs", import.meta.url));
const version1 = fileURLToPath(new URL("./dev-jobs/version-1.mjs", import.meta.url));

let runs = 0;

/** A text that marks the processes of one test: jobs get it as their last argument. */
function marker(): string {
  const mark = `dev-test-${process.pid}-${++runs}`;
  onTestFinished(() => eventually(() => expect(processesWith(mark)).toEqual([])));
  return mark;
}

/** Runs `changeover dev` over a job, and afterwards finds none of its processes. */
function dev(options: string[], job: string[], env: NodeJS.ProcessEnv = {}): ReturnType<typeof runCli> {
  return runCli(["dev", ...options, "--", ...job, marker()], { NO_COLOR: "1", ...env });
}

function runCounter(options: string[], fault = "none"): Promise<CliResult> {
  return dev(options, [process.execPath, counter, fault]).done;
}

describe("changeover dev", { timeout: 60_000 }, () => {
  it("hands a job over without losing or doubling anything, and prints one JSON object", async () => {
    const collector = await Collector.listen("127.0.0.1");
    onTestFinished(() => collector.close());
    const env = { TICKER_COLLECTOR: `tcp://127.0.0.1:${collector.port}` };
    const { code, stdout } = await dev(["--handovers", "3", "--json"], [process.execPath, ticker], env).done;
    const completed = { outcome: "completed", active: "target" };
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ handovers: [completed, completed, completed] });
    const phasesMs = Object.fromEntries(
      ["propose", "place", "ready", "stop", "apply", "commit"].map((phase) => [phase, expect.any(Number)]),
    );
    expect(report).toHaveProperty("handovers.0.phasesMs", phasesMs);
    expect(collector.tally()).toMatchObject({ lost: 0, doubled: 0, broken: 0 });
    expect(code).toBe(0);
  });

  it("draws each handover as a timeline with payloads, shortened", async () => {
    const { code, stdout } = await runCounter(["--handovers", "1"]);
    expect(stdout).toMatch(/propose +[\d.]+ ms {2}#1 state \{"n":\d+,"note":"x+… \(5\d\d B\)/);
    expect(stdout).toMatch(/place +[\d.]+ ms {2}#2 started, pid \d+/);
    expect(stdout).toMatch(/ready +[\d.]+ m?s {2}#2 connected, version 2 · #2 target-ready \{"n":\d+\}/);
    expect(stdout).toMatch(/stop +[\d.]+ ms {2}#1 source-stopped-output \{"n":\d+\}/);
    expect(stdout).toMatch(/apply +[\d.]+ ms {2}#2 target-applied/);
    expect(stdout).toMatch(/├─.* ready .*┤ [\d.]+ m?s/);
    expect(stdout).toMatch(/✔ handover 1 completed, [\d.]+ ms without output: #2 is active/);
    expect(stdout).not.toContain("\u001b");
    expect(code).toBe(0);
  });

  it("runs a job of version 1", async () => {
    const { code, stdout, stderr } = await dev(["--handovers", "2", "--json"], [process.execPath, version1]).done;
    expect(JSON.parse(stdout)).toMatchObject({ handovers: [{ outcome: "completed" }, { outcome: "completed" }] });
    expect(stderr).toContain("#1 connected, version 1");
    expect(code).toBe(0);
  });

  it("sends what jobs write to stderr, with the name of the instance, and shows no token", async () => {
    const { stdout, stderr } = await runCounter(["--handovers", "1"], "tells");
    expect(stderr).toMatch(/^#1 │ counting, as source$/m);
    expect(stderr).toMatch(/^#2 │ counting, as target$/m);
    expect(stderr).toMatch(/^#1 │ token \[token\]$/m);
    expect(stdout).not.toContain("│ counting");
  });

  it.each(["propose", "place", "ready", "stop"])("aborts in %s and hands over to nobody", async (phase) => {
    const { code, stdout } = await runCounter(["--handovers", "2", "--abort-at", phase, "--json"]);
    const aborted = {
      outcome: "aborted",
      phase,
      active: "source",
      reason: `cancelled: you asked to abort in ${phase}`,
    };
    expect(JSON.parse(stdout)).toMatchObject({ handovers: [aborted, aborted] });
    expect(code).toBe(0);
  });

  it.each(["apply", "commit"])(
    "says that an abort in %s comes too late, which is what was to be seen",
    async (phase) => {
      const { code, stdout } = await runCounter(["--handovers", "1", "--abort-at", phase, "--json"]);
      const reason = expect.stringMatching(/^too late to abort: /);
      expect(JSON.parse(stdout)).toMatchObject({ handovers: [{ outcome: "completed", active: "target", reason }] });
      expect(code).toBe(0);
    },
  );
});

describe("changeover dev explains", { timeout: 60_000 }, () => {
  it.each([
    ["refuses", "refused: in the middle of a scene", "Nothing has changed"],
    ["throws", "refused: onGetState failed: the disk is full", "Nothing has changed"],
    ["target dies", "the target is gone: exited with code 7", "side by side"],
    ["stop throws", "onCutoverReady failed: no such stream", "A method or handler threw"],
    ["mute", "onGetState did not settle within", "#1 is still active"],
  ])("a job that %s", async (fault, reason, advice) => {
    const { code, stdout } = await runCounter(["--handovers", "1"], fault);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(advice);
    expect(code).toBe(1);
  });

  it("a command that is not found", async () => {
    const { code, stdout, stderr } = await dev(["--handovers", "1", "--json"], ["no-such-job"]).done;
    expect(stderr).toContain("command not found: no-such-job");
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  it("a command that ends at once", async () => {
    const { code, stderr } = await dev(["--handovers", "1"], ["sh", "-c", "echo done; exit 3"]).done;
    expect(stderr).toContain("#1 │ done");
    expect(stderr).toContain("ended before it connected: exited with code 3");
    expect(code).toBe(1);
  });

  it("a job that never connects, and ends what it has started", async () => {
    const script = 'sleep 300 & sh -c "while :; do sleep 0.1; done" $0';
    const { code, stdout } = await dev(["--handovers", "1", "--connect-within", "0.5"], ["sh", "-c", script]).done;
    expect(stdout).toContain("is not connected after 500 ms");
    expect(stdout).toContain("NORSK_WORKER_WS_URL");
    expect(stdout).toContain("connectMigration()");
    expect(code).toBe(1);
  });

  it.each([
    [["dev"], "there is no command"],
    [["dev", "--", "true"], "add --handovers"],
    [["dev", "--json", "--", "true"], "--json goes with --handovers"],
    [["dev", "--handovers", "0", "--", "true"], "at least 1"],
    [["dev", "--handovers", "1", "--abort-at", "noon", "--", "true"], "Allowed choices are propose, place"],
  ])("what is wrong with %j", async (args, message) => {
    const { code, stdout, stderr } = await runCli(args).done;
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});

describe("changeover dev that is stopped", { timeout: 60_000 }, () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGKILL", null],
  ] as const)("by %s leaves no process behind", async (signal, expectedCode) => {
    const { child, done } = dev(["--handovers", "1000"], [process.execPath, counter, "none"]);
    await says(child, "handover 2 of");
    child.kill(signal);
    expect((await done).code).toBe(expectedCode);
  });
});

/** Resolves when a command has said this. */
function says({ stdout }: ChildProcess, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve) => {
    stdout?.on("data", (data) => {
      seen += String(data);
      if (seen.includes(text)) resolve();
    });
  });
}

/** Runs `changeover dev` in a terminal of its own. */
function inTerminal(mark: string) {
  const line = `"${process.execPath}" "${bin}" dev -- "${process.execPath}" "${counter}" none ${mark}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], { env: { ...process.env, NO_COLOR: "1" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let seen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text));
  return {
    ended: new Promise<number | null>((resolve) => child.once("close", resolve)),
    /** Presses keys and waits for what they lead to. */
    press: async (keys: string, expected: RegExp | string): Promise<void> => {
      seen = "";
      child.stdin.write(keys);
      await eventually(() => expect(seen).toMatch(expected));
    },
    sees: (expected: RegExp | string) => eventually(() => expect(seen).toMatch(expected)),
  };
}

describe("the keys of changeover dev", { timeout: 60_000 }, () => {
  it("hand over, try, abort, cut the connection and end", async () => {
    const terminal = inTerminal(marker());
    await terminal.sees("#1 is active │ h hand over");
    await terminal.press("h", /handover 1 completed.*#2 is active/);
    await terminal.sees("#2 is active │ h hand over");
    await terminal.press("d", /dry run: it would hand over, with a state of 5\d\d B/);
    await terminal.sees("#2 is active │ h hand over");
    await terminal.press("aaa", "h hand over (abort in ready)");
    await terminal.press("h", "handover 2 aborted in ready, as you asked: #2 is still active");
    await terminal.press("k", /cut the connection of #2[^]*#2 connected, version 2/);
    await terminal.press("\u001b[D", "");
    await terminal.press("h", /ready [\d.]+ m?s of/);
    await terminal.press("a", /to be aborted in stop[^]*handover 3 aborted in stop/);
    await terminal.press("q", "");
    expect(await terminal.ended).toBe(0);
  });

  it("end with Ctrl-C as a signal would", async () => {
    const terminal = inTerminal(marker());
    await terminal.sees("h hand over");
    await terminal.press("\u0003", "");
    expect(await terminal.ended).toBe(130);
  });
});
