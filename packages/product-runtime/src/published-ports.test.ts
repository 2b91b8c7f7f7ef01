import { parseManifest } from "@changeover/manifest";
import { expect, it } from "vitest";
import { portsFrom } from "./published-ports.js";

const manifest = parseManifest({ schemaVersion: 1, name: "encoder", ports: { control: 4321, web: 80 } });
const at = (HostIp: string, HostPort: string) => [{ HostIp, HostPort }];

it("reads ports by their name", () => {
  const listed = { "4321/tcp": at("127.0.0.1", "32768"), "80/tcp": at("127.0.0.1", "32769"), "9/tcp": at("", "1") };
  expect(portsFrom(manifest, listed, "gpu-7")).toEqual({
    control: { host: "127.0.0.1", port: 32768 },
    web: { host: "127.0.0.1", port: 32769 },
  });
});

it("reaches a wildcard address by the engine's host", () => {
  const listed = { "4321/tcp": at("0.0.0.0", "1"), "80/tcp": at("::", "2") };
  expect(portsFrom(manifest, listed, "gpu-7")).toEqual({
    control: { host: "gpu-7", port: 1 },
    web: { host: "gpu-7", port: 2 },
  });
});

it("knows nothing while a port is not listed", () => {
  expect(portsFrom(manifest, {}, "h")).toBeUndefined();
  expect(portsFrom(manifest, { "4321/tcp": at("127.0.0.1", "1"), "80/tcp": [] }, "h")).toBeUndefined();
});
