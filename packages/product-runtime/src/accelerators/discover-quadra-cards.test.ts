import Docker from "dockerode";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discoverQuadraCards } from "./discover-quadra-cards.js";
import { resolveHardware } from "./resolve-hardware.js";

const local = { docker: new Docker(), description: "Docker 1 at unix:///x", isLocal: true, host: "127.0.0.1" };
const remote = { ...local, description: "Docker 1 at tcp://gpu-7:2375", isLocal: false, host: "gpu-7" };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "quadra-"));
});
afterEach(() => rm(root, { recursive: true }));

async function device(name: string, vendor: string, model: string, hasNodes = true): Promise<void> {
  const dir = join(root, "sys/class/nvme", name);
  await mkdir(join(dir, "device"), { recursive: true });
  await writeFile(join(dir, "device/vendor"), `${vendor}\n`);
  await writeFile(join(dir, "model"), `${model}   \n`);
  await mkdir(join(root, "dev"), { recursive: true });
  if (!hasNodes) return;
  await Promise.all(["", "n1"].map((suffix) => writeFile(join(root, "dev", name + suffix), "")));
}

const discover = () => discoverQuadraCards(local, { sysfsRoot: join(root, "sys"), devRoot: join(root, "dev") });

describe("discoverQuadraCards", () => {
  it("finds cards by vendor and model, in the order of their numbers, and leaves disks alone", async () => {
    await device("nvme10", "0x1d82", "QuadraT1A");
    await device("nvme2", "0x1d82", "QuadraT2A");
    await device("nvme0", "0x144d", "Samsung SSD 990");
    await device("nvme1", "0x1d82", "T408");
    const gid = process.getgid?.() ?? 0;
    expect(await discover()).toEqual(
      ["nvme2", "nvme10"].map((name) => ({
        controller: join(root, "dev", name),
        namespace: join(root, "dev", `${name}n1`),
        gids: [gid],
      })),
    );
  });

  it("says what there is instead of a card", async () => {
    await device("nvme0", "0x144d", "Samsung SSD 990");
    await expect(discover()).rejects.toThrow(
      /no Quadra card in .*there is nvme0: vendor 0x144d, model Samsung SSD 990/,
    );
  });

  it("says that there is no NVMe device", async () => {
    await expect(discover()).rejects.toMatchObject({
      code: "accelerator-unavailable",
      message: expect.stringContaining("there is no NVMe device at all"),
    });
  });

  it("says which node is missing", async () => {
    await device("nvme3", "0x1d82", "QuadraT1A", false);
    await expect(discover()).rejects.toThrow(/device node .*nvme3(n1)? of a Quadra card is missing/);
  });

  it("does not look for cards of another machine", async () => {
    await expect(discoverQuadraCards(remote)).rejects.toThrow(
      /engine runs elsewhere \(Docker 1 at tcp:\/\/gpu-7:2375\)/,
    );
  });
});

describe("resolveHardware", () => {
  it("takes cards of another machine that are named", async () => {
    const cards = [{ controller: "/dev/nvme0", namespace: "/dev/nvme0n1", gids: [6] }];
    const policy = { mode: "fixed", value: "quadra" } as const;
    expect(await resolveHardware(remote, policy, { kind: "quadra", cards })).toEqual({
      kind: "quadra",
      cards,
      shared: false,
    });
  });

  it("takes all GPUs by the NVIDIA runtime unless told otherwise", async () => {
    const policy = { mode: "default", value: "nvidia" } as const;
    expect(await resolveHardware(local, policy)).toEqual({ kind: "nvidia", devices: "all", cdi: false });
    expect(await resolveHardware(local, policy, { kind: "nvidia", devices: ["1"], cdi: true })).toEqual({
      kind: "nvidia",
      devices: ["1"],
      cdi: true,
    });
    expect(await resolveHardware(local, policy, { kind: "none" })).toEqual({ kind: "none" });
  });

  it("keeps to the manifest", async () => {
    const choice = { kind: "nvidia" } as const;
    await expect(resolveHardware(local, { mode: "fixed", value: "none" }, choice)).rejects.toThrow(
      "the product runs on none only, and nvidia was chosen",
    );
    await expect(resolveHardware(local, { mode: "required" })).rejects.toThrow("choice");
  });
});
