import type { DeviceRequest, HostConfig } from "dockerode";
import { basename } from "node:path/posix";
import type { AcceleratorHardware, QuadraCard } from "./hardware.js";

// `--gpus all` asks for less: NVENC and NVDEC need "video".
const NVIDIA_CAPABILITIES = [["gpu", "compute", "video", "utility"]];

/** The part of a container's `HostConfig` that gives it its accelerator. Never privileged. */
export function acceleratorHostConfig(hardware: AcceleratorHardware): HostConfig {
  switch (hardware.kind) {
    case "none":
      return {};
    case "nvidia":
      return { DeviceRequests: [hardware.cdi ? cdiRequest(hardware.devices) : nvidiaRequest(hardware.devices)] };
    case "quadra":
      return {
        Devices: hardware.cards.flatMap(cardDevices),
        GroupAdd: [...new Set(hardware.cards.flatMap(({ gids }) => gids))].map(String),
        ...(hardware.shared ? { Binds: ["/dev/shm:/dev/shm"] } : {}),
      };
  }
}

function nvidiaRequest(devices: "all" | readonly string[]): DeviceRequest {
  const selection = devices === "all" ? { Count: -1 } : { DeviceIDs: [...devices] };
  return { Driver: "nvidia", ...selection, Capabilities: NVIDIA_CAPABILITIES };
}

function cdiRequest(devices: "all" | readonly string[]): DeviceRequest {
  const names = devices === "all" ? ["all"] : devices;
  return { Driver: "cdi", DeviceIDs: names.map((name) => (name.includes("=") ? name : `nvidia.com/gpu=${name}`)) };
}

function cardDevices({ controller, namespace }: QuadraCard) {
  return [controller, namespace].map((node) => ({
    PathOnHost: node,
    PathInContainer: `/dev/${basename(node)}`,
    CgroupPermissions: "rw",
  }));
}
