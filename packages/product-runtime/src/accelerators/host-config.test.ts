import { describe, expect, it } from "vitest";
import { acceleratorHostConfig } from "./host-config.js";

const CAPABILITIES = [["gpu", "compute", "video", "utility"]];
const card = (n: number, ...gids: number[]) => ({ controller: `/dev/nvme${n}`, namespace: `/dev/nvme${n}n1`, gids });
const device = (path: string) => ({ PathOnHost: path, PathInContainer: path, CgroupPermissions: "rw" });

describe("acceleratorHostConfig", () => {
  it("adds nothing for none", () => {
    expect(acceleratorHostConfig({ kind: "none" })).toEqual({});
  });

  it("asks the NVIDIA runtime for all GPUs, or for some, with what encoding needs", () => {
    expect(acceleratorHostConfig({ kind: "nvidia", devices: "all", cdi: false })).toEqual({
      DeviceRequests: [{ Driver: "nvidia", Count: -1, Capabilities: CAPABILITIES }],
    });
    expect(acceleratorHostConfig({ kind: "nvidia", devices: ["0", "GPU-5f"], cdi: false })).toEqual({
      DeviceRequests: [{ Driver: "nvidia", DeviceIDs: ["0", "GPU-5f"], Capabilities: CAPABILITIES }],
    });
  });

  it("names GPUs as CDI does", () => {
    expect(acceleratorHostConfig({ kind: "nvidia", devices: "all", cdi: true })).toEqual({
      DeviceRequests: [{ Driver: "cdi", DeviceIDs: ["nvidia.com/gpu=all"] }],
    });
    expect(acceleratorHostConfig({ kind: "nvidia", devices: ["1", "example.com/gpu=2"], cdi: true })).toEqual({
      DeviceRequests: [{ Driver: "cdi", DeviceIDs: ["nvidia.com/gpu=1", "example.com/gpu=2"] }],
    });
  });

  it("gives both nodes of every Quadra card, and their groups by number", () => {
    expect(acceleratorHostConfig({ kind: "quadra", cards: [card(0, 0, 6), card(11, 6)], shared: false })).toEqual({
      Devices: ["/dev/nvme0", "/dev/nvme0n1", "/dev/nvme11", "/dev/nvme11n1"].map(device),
      GroupAdd: ["0", "6"],
    });
  });

  it("binds the shared memory of the host when cards are shared", () => {
    expect(acceleratorHostConfig({ kind: "quadra", cards: [card(0, 6)], shared: true })).toMatchObject({
      Binds: ["/dev/shm:/dev/shm"],
    });
  });
});
