import { rm } from "node:fs/promises";
import { createServer, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Engine } from "../src/index.js";

/** A way to an engine that a test can cut. New connections go through again, unless the line is down. */
export async function unreliableLine(engine: Engine) {
  const { protocol, pathname, hostname, port } = new URL(engine.description.replace(/^.* at /, ""));
  const dial = (): Socket => (protocol === "unix:" ? connect(pathname) : connect(Number(port), hostname));
  const path = join(tmpdir(), `line-${process.pid}-${Math.random().toString(36).slice(2)}.sock`);
  const sockets = new Set<Socket>();
  const line = {
    url: `unix://${path}`,
    isUp: true,
    /** How many connections there have been. */
    connections: 0,
    cut(): void {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
  };
  const server = createServer((near) => {
    if (!line.isUp) {
      near.destroy();
      return;
    }
    line.connections += 1;
    const far = dial();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    line.cut();
    server.close();
    await rm(path, { force: true });
  });
  return line;
}
