import { RESERVED_PREFIX } from "@changeover/manifest";
import { isIP } from "node:net";
import type { AcceleratorChoice } from "./accelerators/hardware.js";
import { ProductRuntimeError } from "./product-runtime-error.js";

/** What whoever places a product decides, beside what its manifest says. */
export interface LaunchChoices {
  /** A `product` is ready when it answers; a `job` tells by its job socket, so its launch ends when it has started. */
  readonly role: "product" | "job";
  /** Name of the container, unique on the engine. */
  readonly name: string;
  readonly image: string;
  /** Values of the manifest's parameters. They win over `templateEnv`, and that over the manifest's defaults. */
  readonly env?: Readonly<Record<string, string>>;
  readonly templateEnv?: Readonly<Record<string, string>>;
  /** The `NORSK_` variables, which are no parameters. Those ending in `_TOKEN`, `_SECRET`, `_PASSWORD`, `_KEY` are secret. */
  readonly infrastructureEnv?: Readonly<Record<string, string>>;
  /** Arguments in place of the image's own command. */
  readonly command?: readonly string[];
  /** Needed where the manifest requires a choice. */
  readonly accelerator?: AcceleratorChoice;
  /** A network of the engine to join. Default: the engine's bridge. */
  readonly network?: string;
  /** Labels beside those that start with `changeover.`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Address of the engine's host on which the ports are published. Default `127.0.0.1`. */
  readonly publishedHost?: string;
  /** Limit of memory, without swap, in bytes. Default: none. */
  readonly memoryBytes?: number;
  /**
   * Whether the engine's own init is process 1. Default `true`: a program that is process 1 itself ignores every signal
   * that it has no handler for, and each stop of it would last until it is killed.
   */
  readonly init?: boolean;
}

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;
const INFRASTRUCTURE_NAME = new RegExp(`^${RESERVED_PREFIX}[A-Z0-9_]+$`);
// The engine's own limit.
const MIN_MEMORY_BYTES = 6 * 1024 * 1024;

/** Throws an error that lists every choice that cannot be, with its value where that is no secret. */
export function validateChoices(choices: LaunchChoices): void {
  const problems = [...problemsOf(choices)];
  if (problems.length === 0) return;
  const list = problems.length === 1 ? ` ${problems[0]}` : problems.map((problem) => `\n  - ${problem}`).join("");
  throw new ProductRuntimeError("invalid-option", `cannot launch ${JSON.stringify(choices.name)}:${list}`);
}

function* problemsOf(choices: LaunchChoices): Generator<string> {
  const { role, name, image, command, network, publishedHost, memoryBytes } = choices;
  if (role !== "product" && role !== "job") yield `role must be "product" or "job", is ${JSON.stringify(role)}`;
  if (typeof name !== "string" || !NAME.test(name)) {
    yield `name must be 2 or more letters, digits, _, . and -, is ${JSON.stringify(name)}`;
  }
  if (typeof image !== "string" || !/^\S+$/.test(image)) {
    yield `image must be the name of an image, is ${JSON.stringify(image)}`;
  }
  if (command?.length === 0) yield "command must have at least one word; leave it out for the image's own";
  // These three are no networks of their own: they have no ports to publish.
  if (network !== undefined && (!NAME.test(network) || network === "host" || network === "none")) {
    yield `network must be the name of a bridge or overlay network, is ${JSON.stringify(network)}`;
  }
  if (publishedHost !== undefined && isIP(publishedHost) === 0) {
    yield `publishedHost must be an IP address, is ${JSON.stringify(publishedHost)}`;
  }
  if (memoryBytes !== undefined && !(Number.isInteger(memoryBytes) && memoryBytes >= MIN_MEMORY_BYTES)) {
    yield `memoryBytes must be a whole number of at least ${MIN_MEMORY_BYTES}, is ${memoryBytes}`;
  }
  for (const label of Object.keys(choices.labels ?? {})) {
    if (label.startsWith("changeover.")) yield `labels: ${label} is reserved; choose a name without "changeover."`;
  }
  for (const [variable, value] of Object.entries(choices.infrastructureEnv ?? {})) {
    if (!INFRASTRUCTURE_NAME.test(variable)) {
      yield `infrastructureEnv: ${variable} must start with ${RESERVED_PREFIX}; parameters go into env`;
    } else if (typeof value !== "string" || value.includes("\0")) {
      yield `infrastructureEnv: the value of ${variable} must be a string without NUL characters`;
    }
  }
}
