import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import { messageOf, MigrationWorkerError } from "../errors.js";

/** Longest path of a socket: macOS and the BSDs have room for 103 bytes, Linux for 107. */
const MAX_PATH_BYTES = 103;

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
  if (path === undefined) return unlocked(directory, "its path is too long for a socket");
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
      if (code !== "EADDRINUSE") return unlocked(directory, messageOf(error));
    }
    if (await answers(path)) {
      throw unusable(`another worker has ${directory}. Close that one, or give this one a directory of its own`);
    }
    // Left over by a process that was killed.
    rmSync(path, { force: true });
  }
}

/** Where to listen; undefined where the system has no room for such a path. */
function socketPath(directory: string): string | undefined {
  if (process.platform === "win32") {
    return `\\\\.\\pipe\\changeover-${createHash("sha256").update(directory).digest("hex").slice(0, 32)}`;
  }
  const path = join(directory, "worker.lock");
  // The same file may have a shorter path. One that is too long would be cut off without a word, and name another file.
  return [path, relative("", path)].find((each) => Buffer.byteLength(each) <= MAX_PATH_BYTES);
}

function unlocked(directory: string, why: string): Release {
  process.emitWarning(`${directory} is not locked: ${why}`, "MigrationWorkerWarning");
  return () => Promise.resolve();
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
