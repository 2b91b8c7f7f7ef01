import { Readable } from "node:stream";
import { pack } from "tar-stream";
import type { Engine } from "./engine.js";
import { engineText } from "./engine-response.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { readProgress } from "./progress-stream.js";

/** A small image on top of another. */
export interface ImageRecipe {
  /** The image to start from. */
  readonly from: string;
  /** Contents by absolute path in the image. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Name and tag of the result. */
  readonly tag: string;
  /** What a container of it runs. Default: what one of `from` does. */
  readonly command?: readonly string[];
}

const CONTEXT_DIR = "files";

/** Builds an image on the engine from a few files. Resolves with its name. */
export async function buildImage(engine: Engine, recipe: ImageRecipe): Promise<string> {
  const { from, files, tag, command } = recipe;
  const relative = Object.keys(files).find((path) => !/^\/[^/]/.test(path));
  if (relative !== undefined) {
    throw new ProductRuntimeError("invalid-option", `files: ${JSON.stringify(relative)} must be an absolute path`);
  }
  const failure = await engine.docker
    .buildImage(contextOf(from, files, command), { t: tag, rm: true, forcerm: true })
    .then(readProgress)
    .catch((error: unknown) => engineText(error));
  if (failure !== undefined) {
    throw new ProductRuntimeError("image-build-failed", `the image ${JSON.stringify(tag)} cannot be built: ${failure}`);
  }
  return tag;
}

function contextOf(from: string, files: ImageRecipe["files"], command: readonly string[] | undefined): Readable {
  const dockerfile = [
    `FROM ${from}`,
    ...(Object.keys(files).length === 0 ? [] : [`COPY ${CONTEXT_DIR}/ /`]),
    ...(command === undefined ? [] : [`CMD ${JSON.stringify(command)}`]),
  ].join("\n");
  const tar = pack();
  // The same files make the same context, so that the engine's build cache knows them.
  const mtime = new Date(0);
  tar.entry({ name: "Dockerfile", mtime }, dockerfile);
  for (const [path, content] of Object.entries(files)) {
    const bytes =
      typeof content === "string" ? content : Buffer.from(content.buffer, content.byteOffset, content.length);
    tar.entry({ name: `${CONTEXT_DIR}${path}`, mtime, mode: 0o755 }, bytes);
  }
  tar.finalize();
  return Readable.from(tar, { objectMode: false });
}
