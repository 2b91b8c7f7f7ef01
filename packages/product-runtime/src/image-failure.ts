import { ProductRuntimeError, type ProductRuntimeErrorCode } from "./product-runtime-error.js";

/** A pull that failed. */
export interface FailedPull {
  readonly image: string;
  /** The image without tag and digest, and the host of its registry. */
  readonly name: string;
  readonly registry: string;
  /** What the engine said. */
  readonly text: string;
  /** Where the credentials came from that the registry was given, or why there were none. */
  readonly credentials: string;
  readonly cause?: unknown;
}

interface Kind {
  readonly code: ProductRuntimeErrorCode;
  readonly pattern: RegExp;
  readonly advice: (pull: FailedPull) => string;
}

const login = ({ registry, credentials }: FailedPull): string => `${credentials}. Log in (docker login ${registry}).`;

// The first that matches counts: a dial that is "denied" says nothing of a login, and a registry that says "denied"
// for what does not exist says so in the same breath.
const KINDS: readonly Kind[] = [
  {
    code: "image-rate-limited",
    pattern: /too ?many ?requests|rate limit|\b429\b/i,
    advice: (pull) => `Wait and try again, or have a higher limit with a login: ${login(pull)}`,
  },
  {
    code: "image-disk-failed",
    pattern: /no space left|disk quota exceeded|read-only file system|input\/output error|not enough (disk )?space/i,
    advice: () => "Make room on the disk of the engine's host (docker system df, docker image prune).",
  },
  {
    code: "image-registry-unreachable",
    pattern:
      /no such host|dial (tcp|unix)|i\/o timeout|connection (refused|reset)|network is unreachable|no route to host|TLS handshake|tls: |x509: |Client\.Timeout|context deadline exceeded|request canceled|server misbehaving|proxyconnect|HTTP response to HTTPS client|unexpected HTTP status:? 5\d\d|(bad gateway|service unavailable|gateway time-?out)|\bEOF$/i,
    advice: () =>
      "Check the engine's network, proxy and certificates, or load the image into the engine (docker load).",
  },
  {
    code: "image-incomplete",
    pattern:
      /unknown blob|blob unknown|(reading|fetching) blob.*\b404\b|verification failed for digest|digest mismatch/i,
    advice: () => "Push the image to its registry again: what is stored there is damaged.",
  },
  {
    code: "image-not-found",
    pattern: /not found|manifest unknown|does not exist|no such image|name unknown/i,
    advice: (pull) => `Check the image's name and tag. If it is private: ${login(pull)}`,
  },
  {
    code: "image-unauthorised",
    pattern:
      /unauthori[sz]ed|authentication required|no basic auth|incorrect username or password|denied|forbidden|\b40[13]\b/i,
    advice: login,
  },
];

const OTHER = {
  code: "image-pull-failed",
  advice: () => "Try it by hand on the engine's host (docker pull).",
} as const;

/** Sorts a failed pull by what the engine says: its status is 500 for most failures, and 200 for many. */
export function pullFailure(pull: FailedPull): ProductRuntimeError {
  const { image, text, cause } = pull;
  const said = withoutNames(pull);
  const { code, advice } = KINDS.find(({ pattern }) => pattern.test(said)) ?? OTHER;
  const message = `the image ${JSON.stringify(image)} cannot be pulled: ${text}\n${advice(pull)}`;
  return new ProductRuntimeError(code, message, { cause });
}

/** An image may be called `team/denied:429`, which says nothing of a failure. */
function withoutNames({ image, name, text }: FailedPull): string {
  return [image, name]
    .filter((word) => word.includes("/"))
    .reduce((rest, word) => rest.replaceAll(word, "IMAGE"), text.replaceAll(/https?:\/\/[^\s"]+/g, "URL"));
}
