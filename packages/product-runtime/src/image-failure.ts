import { ProductRuntimeError, type ProductRuntimeErrorCode } from "./product-runtime-error.js";

interface Kind {
  readonly code: ProductRuntimeErrorCode;
  readonly pattern: RegExp;
  readonly advice: string;
}

// The first that matches counts. A registry that says "denied" for what does not exist says so in the same breath.
const KINDS: readonly Kind[] = [
  {
    code: "image-not-found",
    pattern: /not found|manifest unknown|does not exist|no such image|name unknown/i,
    advice:
      "Check the image's name and tag. If it is private, log in to its registry on the engine's host and pull it.",
  },
  {
    code: "image-unauthorised",
    pattern: /unauthori[sz]ed|authentication required|no basic auth|denied|forbidden/i,
    advice: "Log in to its registry on the engine's host (docker login) and pull it.",
  },
  {
    code: "image-registry-unreachable",
    pattern:
      /no such host|dial tcp|i\/o timeout|connection refused|connection reset|network is unreachable|no route to host|TLS handshake|Client\.Timeout|request canceled|server misbehaving|proxyconnect|\bEOF\b/i,
    advice: "Check the engine's network and proxy, or load the image into the engine (docker load).",
  },
];

const OTHER = {
  code: "image-pull-failed",
  advice: "Try it by hand on the engine's host (docker pull).",
} as const;

/** Sorts a failed pull by what the engine says: its status is 500 for most failures, and 200 for many. */
export function pullFailure(image: string, text: string, cause?: unknown): ProductRuntimeError {
  const { code, advice } = KINDS.find(({ pattern }) => pattern.test(text)) ?? OTHER;
  const message = `the image ${JSON.stringify(image)} is not on the engine and cannot be pulled: ${text}\n${advice}`;
  return new ProductRuntimeError(code, message, { cause });
}
