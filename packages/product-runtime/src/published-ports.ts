import type { Manifest } from "@changeover/manifest";
import type { Container, ContainerInspectInfo } from "dockerode";
import { pause, systemClock } from "./clock.js";
import { portKey } from "./create-options.js";
import type { Engine } from "./engine.js";
import { engineFailure } from "./engine-response.js";
import { withDeadline } from "./with-deadline.js";

/** Where a port of a container is reached. */
export interface PublishedPort {
  readonly host: string;
  readonly port: number;
}

/** Reads where the manifest's ports are published. An engine may list none for a moment after a start. */
export async function publishedPorts(
  engine: Engine,
  container: Container,
  manifest: Manifest,
  timeoutMs: number,
): Promise<Readonly<Record<string, PublishedPort>>> {
  if (Object.keys(manifest.ports).length === 0) return {};
  const what = `waiting for the engine to publish ${Object.keys(manifest.ports).join(", ")} (is its network internal?)`;
  return withDeadline({ what, timeoutMs, code: "start-failed" }, async (signal) => {
    for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, 100)) {
      signal.throwIfAborted();
      const { NetworkSettings } = await container.inspect({ abortSignal: signal }).catch((error: unknown) => {
        throw engineFailure("reading the container's ports", error);
      });
      const ports = portsFrom(manifest, NetworkSettings.Ports, engine.host);
      if (ports !== undefined) return ports;
      await pause(pauseMs, systemClock, signal);
    }
  });
}

/** The manifest's ports in what an engine lists, or `undefined` while one is missing there. */
export function portsFrom(
  manifest: Manifest,
  listed: Readonly<Partial<ContainerInspectInfo["NetworkSettings"]["Ports"]>>,
  engineHost: string,
): Record<string, PublishedPort> | undefined {
  const ports: Record<string, PublishedPort> = {};
  for (const [name, port] of Object.entries(manifest.ports)) {
    const binding = listed[portKey(port)]?.[0];
    if (binding === undefined) return undefined;
    const { HostIp, HostPort } = binding;
    // The wildcard addresses say where the engine listens, not where it is reached.
    const isWildcard = HostIp === "" || HostIp === "0.0.0.0" || HostIp === "::";
    ports[name] = { host: isWildcard ? engineHost : HostIp, port: Number(HostPort) };
  }
  return ports;
}
