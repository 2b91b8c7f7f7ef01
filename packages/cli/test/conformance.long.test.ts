import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@changeover/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { allRules } from "../src/conformance/all-rules.js";
import { runCli } from "./run-cli.js";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ourJob = ["node", file("../../../examples/conformance-job/dist/main.js")];
const plainClient = ["node", file("misbehaving-client.mjs")];

interface Report {
  isConformant: boolean;
  rules: { number: number; status: string; failure?: { expected: string; got: string; sequence: string[] } }[];
}

async function check(client: string[], flags: string[] = [], misbehaviours: string[] = []) {
  const env = { MISBEHAVIOURS: misbehaviours.join(",") };
  const { code, stdout, stderr } = await runCli(["conformance", "--json", ...flags, "--", ...client], env).done;
  expect(stderr).toBe("");
  const report: Report = JSON.parse(stdout);
  const failures = report.rules.filter(({ status }) => status === "failed");
  return { code, report, failures, broken: failures.map(({ number }) => number) };
}

async function expectedFailures(list: unknown): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "changeover-conformance-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "expected-failures.json");
  await writeFile(path, JSON.stringify(list));
  return path;
}

/** What a client can do wrong, with the numbers of the rules that this breaks; no rule twice in a row of them. */
const misbehaviours: readonly Record<string, readonly number[]>[] = [
  {
    "drops the query": [1],
    "repeats hello": [2, 14],
    "logs the token": [3],
    "says no protocol": [4],
    "new session on every connection": [5],
    "answers the third question twice": [6],
    "refuses for a reason of its own": [7],
    "knows no limit": [8],
    "stops before the position": [9, 10, 18, 25, 39],
    "stops after an abort": [11],
    "gives up without a word": [13],
    "carries out initial-state again": [15],
    "carries out get-state again": [19, 27],
    "carries out cutover-ready again": [20],
    "carries out cutover-apply again": [21],
    "carries out abort again": [22],
    "carries out committed again": [23],
    "keeps what was ignored": [26],
    "keeps a silent connection": [31],
    "ends at an unknown type": [32],
    "wants no unknown field": [33],
    "dies of what is not JSON": [34],
    "gives up after 4401": [36],
    "comes back at once": [37],
    "comes back after 4409": [38],
    "pings version 1": [41],
    "answers late in version 1": [42],
  },
  {
    "token in a header": [3],
    "same session in every process": [5],
    "does not resume": [10, 26, 39],
    "carries out what was aborted": [12, 17],
    "is ready from the beginning": [14, 15, 40],
    "counts from 0": [24, 25],
    "forgets an answer that it has begun": [27],
    "sends no ping": [29],
    "takes only pong as a sign of life": [30],
    "gives up after a lost connection": [31, 35, 37],
  },
  {
    "takes over when it is ready": [14, 16],
    "forgets what it has sent": [25],
    "numbers reports in version 1": [39, 40],
    "answers no ping": [28],
  },
  { "sends the newest again first": [25] },
];

describe("changeover conformance", { timeout: 120_000 }, () => {
  it("certifies our client, and prints a line for each rule", async () => {
    const { code, stdout, stderr } = await runCli(["conformance", "--", ...ourJob], { NO_COLOR: "1" }).done;
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("✔")),
    ).toEqual(["", `${allRules.length} of ${allRules.length} rules kept`]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("certifies a client that shares no code with ours", async () => {
    expect(await check(plainClient)).toMatchObject({ code: 0, broken: [], report: { isConformant: true } });
  });

  it("has a misbehaviour for each rule", () => {
    const broken = new Set(misbehaviours.flatMap((row) => Object.values(row).flat()));
    expect(allRules.filter(({ number }) => !broken.has(number))).toEqual([]);
  });

  it.each(misbehaviours.slice(0, 2))("finds exactly the rules that a client breaks, row %#", async (row) => {
    const { code, broken } = await check(plainClient, [], Object.keys(row));
    expect(broken).toEqual(
      Object.values(row)
        .flat()
        .toSorted((a, b) => a - b),
    );
    expect(code).toBe(1);
  });

  it.each(misbehaviours.slice(2).flatMap((row) => Object.entries(row)))(
    "finds a client that %s",
    async (misbehaviour, rules) => {
      const neighbours = [...rules, 6, 24, 26];
      const { broken } = await check(plainClient, ["--only", neighbours.join()], [misbehaviour]);
      expect(broken).toEqual(rules);
    },
  );

  it("tells what it expected, what it got and what came before", async () => {
    const { failures } = await check(plainClient, ["--only", "7"], ["refuses for a reason of its own"]);
    expect(failures[0]?.failure).toMatchObject({
      expected: 'state-refused {reason: "an advert is on air"}',
      got: expect.stringMatching(/^state-refused \{.*reason: "no"/),
    });
    expect(failures[0]?.failure?.sequence).toEqual([
      "C connects",
      expect.stringMatching(/^C -> W {2}hello \{token: "…", protocol: 2,/),
      expect.stringMatching(/^W -> C {2}hello-ack \{protocol: 2,/),
      'W -> C  get-state {migrationId: "m-1", epoch: 1, deadlineMs: 10000}',
      expect.stringMatching(/^C -> W {2}state-refused \{.*reason: "no"/),
    ]);
  });

  it("takes failures that are expected, and no longer when they have become stale", async () => {
    const list = ["--expected-failures", await expectedFailures([{ rule: 7, reason: "until the next release" }])];
    const known = await check(plainClient, [...list, "--only", "6,7"], ["refuses for a reason of its own"]);
    expect(known.report.rules).toMatchObject([{ status: "passed" }, { status: "expected-failure" }]);
    expect(known.code).toBe(0);
    const stale = await check(plainClient, [...list, "--only", "6,7"]);
    expect(stale.report.rules).toMatchObject([
      { status: "passed" },
      { status: "stale", reason: "until the next release" },
    ]);
    expect(stale.code).toBe(1);
  });

  it.each([
    ["it is not an array", { rule: 7 }],
    ['"rule":99', [{ rule: 99, reason: "?" }]],
    ["rule 7 has no reason", [{ rule: 7 }]],
    [
      "rule 7 has two entries",
      [
        { rule: 7, reason: "a" },
        { rule: 7, reason: "b" },
      ],
    ],
  ])("refuses a list of expected failures: %s", async (message, list) => {
    const flags = ["--expected-failures", await expectedFailures(list)];
    const { code, stderr } = await runCli(["conformance", ...flags, "--", ...plainClient]).done;
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  it.each([
    ["needs the command", []],
    ['"99" names no rule', ["--only", "7,99", "--", "node"]],
    ["--start-timeout", ["--start-timeout", "soon", "--", "node"]],
    ["cannot be read from /nowhere", ["--expected-failures", "/nowhere", "--", "node"]],
    ["exited with code 3: no config", ["--", "node", "-e", "console.error('no config'); process.exit(3)"]],
    ["could not be started", ["--", "no-such-program-anywhere"]],
    ["none within 300 ms", ["--start-timeout", "300", "--", "node", "-e", "setInterval(() => {}, 1000)"]],
  ])("explains bad usage: %s", async (message, args) => {
    const { code, stdout, stderr } = await runCli(["conformance", ...args]).done;
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "leaves no process behind after %s, be it one that the client started",
    async (signal) => {
      const mark = `left-behind-${process.pid}-${signal}`;
      const script = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "${mark}"]); setInterval(() => {}, 1000)`;
      const { child, done } = runCli(["conformance", "--", "node", "-e", script]);
      const running = (): number =>
        execFileSync("ps", ["-e", "-o", "args="], { encoding: "utf8" })
          .split("\n")
          .filter((line) => line.endsWith(mark)).length;
      await eventually(() => expect(running()).toBeGreaterThan(0));
      child.kill(signal);
      expect((await done).code).toBe(signal === "SIGINT" ? 130 : 143);
      expect(running()).toBe(0);
    },
  );
});

it("has its rules numbered in order, and each of them in the documents", async () => {
  const protocol = await readFile(file("../../../docs/protocol.md"), "utf8");
  const page = await readFile(file("../../../docs/conformance.md"), "utf8");
  expect(allRules.map(({ number }) => number)).toEqual(allRules.map((_, index) => index + 1));
  for (const { number, title, paragraph } of allRules) {
    expect(protocol).toMatch(new RegExp(`^##+ ${paragraph.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&")}$`, "m"));
    expect(page).toContain(`${number}. ${title} (_${paragraph}_)`);
  }
});
