import { ProductRuntimeError } from "../product-runtime-error.js";

/** The name of an image, taken apart. */
export interface ImageReference {
  /** As given, without tag and digest: what an engine is asked to pull. */
  readonly name: string;
  /** Host of the registry, with its port if it has one: `docker.io` where the name has none. */
  readonly registry: string;
  /** What to pull under the name: the digest where there is one, else the tag, else `latest`. */
  readonly version: string;
  /** Whether it names one content for ever. */
  readonly hasDigest: boolean;
}

export const DOCKER_HUB = "docker.io";

const HOST = /^(?:localhost|\[[0-9a-fA-F:]+\]|(?=.*[.:A-Z])[A-Za-z0-9][A-Za-z0-9.-]*)(?::\d+)?$/;
const PATH = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const ID = /^sha256:[0-9a-f]{64}$/;

/** Whether this is the id of an image on an engine, which no registry knows. */
export function isImageId(image: string): boolean {
  return ID.test(image);
}

/**
 * Takes the name of an image apart as engines do: a colon is a port's before the last slash and a tag's after it, and
 * only a first part with a dot, a colon or a capital, or `localhost`, is a registry.
 *
 * @throws `ProductRuntimeError` with code `invalid-option` that says what is wrong with it.
 */
export function parseImageReference(image: string): ImageReference {
  const [tagged = "", digest] = split(image, image.indexOf("@"));
  const colon = tagged.lastIndexOf(":");
  const [name = "", tag] = split(tagged, colon > tagged.lastIndexOf("/") ? colon : -1);
  const [first = "", rest] = split(name, name.indexOf("/"));
  const hasRegistry = rest !== undefined && HOST.test(first);
  const path = hasRegistry ? rest : name;
  const problem = problemIn(path, tag, digest);
  if (problem !== undefined) {
    throw new ProductRuntimeError("invalid-option", `the image ${JSON.stringify(image)} cannot be pulled: ${problem}`);
  }
  return {
    name,
    registry: hasRegistry ? first : DOCKER_HUB,
    version: digest ?? tag ?? "latest",
    hasDigest: digest !== undefined,
  };
}

function split(text: string, at: number): [string, string?] {
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function problemIn(path: string, tag: string | undefined, digest: string | undefined): string | undefined {
  if (!PATH.test(path)) {
    const quoted = JSON.stringify(path);
    return PATH.test(path.toLowerCase())
      ? `its repository ${quoted} must be in lower case`
      : `its repository ${quoted} must be lower-case letters, digits and separators (. _ -) inside, in parts between slashes`;
  }
  if (tag !== undefined && !TAG.test(tag)) {
    return `its tag ${JSON.stringify(tag)} must be up to 128 letters, digits, and _ . - after the first`;
  }
  if (digest !== undefined && !DIGEST.test(digest)) {
    return `its digest ${JSON.stringify(digest)} must be an algorithm, a colon and at least 32 hexadecimal digits`;
  }
  return undefined;
}
