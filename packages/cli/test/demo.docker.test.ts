import { connectEngine } from "@changeover/product-runtime";
import { eventually } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { expectedReport, reportKeys, runCli } from "./run-cli.js";

async function demoContainers(): Promise<string[]> {
  const { docker } = await connectEngine();
  const containers = await docker.listContainers({ all: true, filters: { name: ["changeover-demo-"] } });
  return containers.flatMap(({ Names }) => Names);
}

describe("changeover demo --docker", { timeout: 120_000 }, () => {
  it("hands over between containers, and leaves none behind", async () => {
    const { code, stdout, stderr } = await runCli(["demo", "--json", "--docker"]).done;
    expect(stderr).toContain("Jobs run as containers");
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject(expectedReport("docker"));
    expect(Object.keys(Object(report))).toEqual(reportKeys);
    expect(code).toBe(0);
    expect(await demoContainers()).toEqual([]);
  });

  it("leaves no container behind when it is interrupted", async () => {
    const { child, done } = runCli(["demo", "--docker"]);
    await eventually(async () => expect(await demoContainers()).not.toEqual([]), 60_000);
    child.kill("SIGINT");
    expect((await done).code).toBe(130);
    expect(await demoContainers()).toEqual([]);
  });
});
