import { once } from "node:events";
import { createServer } from "node:net";
import type { Engine } from "./engine.js";

/**
 * The address of this machine to listen on for what containers reach as `host.docker.internal`: the bridge's own. With
 * an engine in a virtual machine (Docker Desktop) that is no address of this machine, and the loopback is what they reach.
 */
export async function hostForContainers(engine: Engine): Promise<string> {
  const { IPAM } = await engine.docker.getNetwork("bridge").inspect();
  const [config] = IPAM?.Config ?? [];
  // An engine that was not told a gateway does not name it; it takes the first address of the subnet.
  const bridge = config?.Gateway ?? config?.Subnet?.replace(/\.0\/\d+$/, ".1");
  return bridge !== undefined && (await canListen(bridge)) ? bridge : "127.0.0.1";
}

// A bridge without containers is down and listed nowhere, but it can be listened on.
async function canListen(host: string): Promise<boolean> {
  const server = createServer().listen(0, host);
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
