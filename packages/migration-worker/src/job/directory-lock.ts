import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import { messageOf, MigrationWorkerError } from "../errors.js";

/** Lets go of a directory. */
export type Release = () => Promise<void>;

/**
 * Takes a directory for this process alone: it listens on a socket in there, which the kernel closes with the process,
 * however that ends. So nothing has to be cleaned up after `kill -9`, and process ids, which mean nothing in another
 * container, are not compared.
 *
 * Where no socket can be made (a file system without them, a path that is too long) a warning says so.
 *
 * @throws MigrationWorkerError `journal-unusable` where another process has the directory.
 */
export async function lockDirectory(directory: string): Promise<Release> {
  const path = socketPath(directory);
  for (;;) {
    const server = createServer((peer) => peer.destroy());
    try {
      server.listen(path);
      await once(server, "listening");
      server.unref();
      return () => closed(server);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EACCES" || code === "EROFS") throw unusable(`${directory} cannot be written: ${messageOf(error)}`);
      if (code !== "EADDRINUSE") {
        process.emitWarning(`${directory} is not locked: ${messageOf(error)}`, "MigrationWorkerWarning");
        return () => Promise.resolve();
      }
    }
    if (await answers(path)) {
      throw unusable(`another worker has ${directory}. Close that one, or give this one a directory of its own`);
    }
    // Left over by a process that was killed.
    rmSync(path, { force: true });
  }
}

function socketPath(directory: string): string {
  if (process.platform === "win32") {
    return `\\\\.\\pipe\\changeover-${createHash("sha256").update(directory).digest("hex").slice(0, 32)}`;
  }
  const path = join(directory, "worker.lock");
  // A socket's path is at most 107 bytes long, and the same file may have a shorter one.
  const shorter = relative("", path);
  return shorter.length < path.length ? shorter : path;
}

async function answers(path: string): Promise<boolean> {
  const peer = connect(path);
  try {
    await once(peer, "connect");
    return true;
  } catch {
    return false;
  } finally {
    peer.destroy();
  }
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

function unusable(why: string): MigrationWorkerError {
  return new MigrationWorkerError("journal-unusable", `the journal cannot be used: ${why}`);
}
