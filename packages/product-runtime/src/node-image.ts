import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { pack, type Pack } from "tar-stream";
import { dialStream } from "./dial.js";
import type { Engine } from "./engine.js";
import { ensureImage, hasImage } from "./ensure-image.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { readProgress } from "./progress-stream.js";
import { sharedLibraries } from "./shared-libraries.js";

const FALLBACK_IMAGE = "node:22-slim";
const REPOSITORY = "changeover/node";
const NODE_PATH = "/usr/local/bin/node";
const ENV_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CONFIG = `ENV PATH=${ENV_PATH}\nCMD ["node"]`;
const CHUNK_BYTES = 1024 * 1024;

// Without nsswitch.conf a name such as host.docker.internal, which is in /etc/hosts only, may not be found.
const TEXT_FILES = {
  "/etc/nsswitch.conf": "hosts: files dns\n",
  "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
  "/etc/group": "root:x:0:\n",
};

interface BinaryFile {
  readonly path: string;
  readonly source: string;
}

/**
 * An image in which `node` runs, made from the Node that runs this and the libraries that it needs, so that no registry
 * is asked. It is made once, and reused while it is the same. Where this Node is no program for the engine, because of
 * the system or the processor, it is `node:22-slim`, pulled when missing. Resolves with the image's name.
 */
export async function importNodeImage(engine: Engine): Promise<string> {
  if (!(await runsThisNode(engine))) {
    await ensureImage(engine, FALLBACK_IMAGE);
    return FALLBACK_IMAGE;
  }
  const files = [
    { path: NODE_PATH, source: process.execPath },
    ...(await sharedLibraries(process.execPath)).map((path) => ({ path, source: path })),
  ];
  const tag = `${process.versions.node}-${await digestOf(files)}`;
  const image = `${REPOSITORY}:${tag}`;
  if (!(await hasImage(engine, image))) await importFiles(engine, tag, files);
  return image;
}

async function runsThisNode(engine: Engine): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { Os, Arch } = JSON.parse(await text(await dialStream(engine.docker, { method: "GET", path: "/version" })));
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  return Os === "linux" && Arch === arch;
}

async function digestOf(files: readonly BinaryFile[]): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([CONFIG, TEXT_FILES]));
  for (const { path, source } of files) {
    hash.update(path);
    for await (const chunk of createReadStream(source, { highWaterMark: CHUNK_BYTES })) hash.update(chunk);
  }
  return hash.digest("hex").slice(0, 12);
}

async function importFiles(engine: Engine, tag: string, files: readonly BinaryFile[]): Promise<void> {
  const tar = pack();
  const packing = packFiles(tar, files).catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  const importing = engine.docker
    .importImage(Readable.from(tar, { objectMode: false }), { repo: REPOSITORY, tag, changes: CONFIG })
    .then((stream) => readProgress(stream));
  const [packed, imported] = await Promise.allSettled([packing, importing]);
  const cause =
    packed.status === "rejected" ? packed.reason : imported.status === "rejected" ? imported.reason : undefined;
  const failure = imported.status === "fulfilled" ? imported.value : undefined;
  if (cause === undefined && failure === undefined) return;
  const why = failure ?? (cause instanceof Error ? cause.message : String(cause));
  throw new ProductRuntimeError("image-build-failed", `the image ${REPOSITORY}:${tag} cannot be imported: ${why}`, {
    cause,
  });
}

async function packFiles(tar: Pack, files: readonly BinaryFile[]): Promise<void> {
  tar.entry({ name: "tmp", type: "directory", mode: 0o1777 });
  tar.entry({ name: "root", type: "directory", mode: 0o700 });
  for (const [path, content] of Object.entries(TEXT_FILES)) tar.entry({ name: path.slice(1), mode: 0o644 }, content);
  for (const { path, source } of files) {
    const { size } = await stat(source);
    const entry = tar.entry({ name: path.slice(1), size, mode: 0o755 });
    await pipeline(createReadStream(source, { highWaterMark: CHUNK_BYTES }), entry);
  }
  tar.finalize();
}
