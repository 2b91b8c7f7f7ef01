import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { discoverQuadraCards } from "../src/index.js";
import { engineFixture, manifestWith, rejectionOf } from "./fixture.js";

const { engine, launch: run, leftovers } = await engineFixture();
const GID = 4242;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A host with a disk and a Quadra card: sysfs is made up, the device nodes are real ones of /dev/null. */
async function hostWithCard(): Promise<{ sysfsRoot: string; controller: string }> {
  const sysfsRoot = await mkdtemp(join(tmpdir(), "sysfs-"));
  cleanUps.push(() => rm(sysfsRoot, { recursive: true }));
  const number = 10_000 + (process.pid % 10_000);
  const device = async (name: string, vendor: string, model: string): Promise<void> => {
    await mkdir(join(sysfsRoot, "class/nvme", name, "device"), { recursive: true });
    await writeFile(join(sysfsRoot, "class/nvme", name, "device/vendor"), `${vendor}\n`);
    await writeFile(join(sysfsRoot, "class/nvme", name, "model"), `${model}\n`);
  };
  await device(`nvme${number}`, "0x1d82", "QuadraT1A");
  await device(`nvme${number + 1}`, "0x144d", "Samsung SSD 990");
  const controller = `/dev/nvme${number}`;
  for (const node of [controller, `${controller}n1`]) {
    execFileSync("mknod", ["-m", "660", node, "c", "1", "3"]);
    cleanUps.push(() => rm(node));
    execFileSync("chgrp", [String(GID), node]);
  }
  return { sysfsRoot, controller };
}

/** An engine takes requests for NVIDIA GPUs when this program is on its path. */
function hasHook(): boolean {
  try {
    execFileSync("which", ["nvidia-container-runtime-hook"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("quadra", () => {
  const canMakeNodes = process.platform === "linux" && process.getuid?.() === 0;

  it.skipIf(!canMakeNodes)("shows both nodes of a card in the container, to the group that owns them", async () => {
    const { sysfsRoot, controller } = await hostWithCard();
    const cards = await discoverQuadraCards(engine, { sysfsRoot });
    expect(cards).toEqual([{ controller, namespace: `${controller}n1`, gids: [GID] }]);
    const script = `
      const { statSync, readdirSync, openSync, writeSync, closeSync } = require("node:fs");
      const nodes = readdirSync("/dev").filter((name) => name.startsWith("nvme")).map((name) => "/dev/" + name);
      for (const node of nodes) {
        const file = openSync(node, "r+");
        writeSync(file, "x");
        closeSync(file);
      }
      const gids = nodes.map((node) => statSync(node).gid);
      console.log(JSON.stringify({ nodes, gids, groups: process.getgroups(), shm: readdirSync("/dev/shm") }));`;
    const shared = `changeover-${process.pid}`;
    await writeFile(join("/dev/shm", shared), "");
    cleanUps.push(() => rm(join("/dev/shm", shared)));
    const manifest = manifestWith({ accelerator: { mode: "required" } });
    const job = await run(manifest, script, { role: "job", accelerator: { kind: "quadra", cards, shared: true } });
    const { exitCode, logTail } = await job.gone;
    expect(logTail.join("\n")).not.toContain("Error");
    expect(exitCode).toBe(0);
    expect(JSON.parse(logTail.join(""))).toEqual({
      nodes: [controller, `${controller}n1`],
      gids: [GID, GID],
      groups: expect.arrayContaining([GID]),
      shm: expect.arrayContaining([shared]),
    });
  });

  it("says which nodes the engine's host does not have, and leaves nothing", async () => {
    const cards = [{ controller: "/dev/nvme9999", namespace: "/dev/nvme9999n1", gids: [6] }];
    const manifest = manifestWith({ accelerator: { mode: "fixed", value: "quadra" } });
    expect(await rejectionOf(run(manifest, "", { accelerator: { kind: "quadra", cards } }))).toMatchObject({
      code: "accelerator-unavailable",
      message: expect.stringContaining("Quadra nodes /dev/nvme9999. Check that they exist on the engine's host"),
    });
    expect(await leftovers()).toEqual([]);
  });
});

describe.skipIf(hasHook())("nvidia, on an engine that has no driver for it", () => {
  const manifest = manifestWith({ accelerator: { mode: "default", value: "nvidia" } });

  it("says how to install the NVIDIA Container Toolkit, and leaves nothing", async () => {
    const error = await rejectionOf(run(manifest, ""));
    expect(error).toMatchObject({ code: "accelerator-unavailable" });
    expect(error).toMatchObject({
      message: expect.stringContaining("install the NVIDIA driver and the NVIDIA Container"),
    });
    expect(error).toMatchObject({ message: expect.stringContaining("nvidia-ctk runtime configure --runtime=docker") });
    expect(await leftovers()).toEqual([]);
  });

  it("says what CDI needs, and leaves nothing", async () => {
    const error = await rejectionOf(run(manifest, "", { accelerator: { kind: "nvidia", cdi: true } }));
    expect(error).toMatchObject({
      code: "accelerator-unavailable",
      message: expect.stringContaining("Docker 25 or newer"),
    });
    expect(await leftovers()).toEqual([]);
  });

  it("runs without when that is chosen", async () => {
    const job = await run(manifest, "", { role: "job", accelerator: { kind: "none" } });
    expect(await job.gone).toMatchObject({ exitCode: 0 });
  });
});
