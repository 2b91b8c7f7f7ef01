import { RESERVED_PREFIX, Secret, type ParameterValue } from "@changeover/manifest";
import { isIP } from "node:net";
import type { AcceleratorChoice } from "./accelerators/hardware.js";
import { isImageName } from "./ensure-image.js";
import { PULL_POLICIES, type PullPolicy } from "./images/pull-policy.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { showValue } from "./show-value.js";
import { unknownKeys } from "./unknown-keys.js";

/** What whoever places a product decides, beside what its manifest says. */
export interface LaunchChoices {
  /** A `product` is ready when it answers; a `job` tells by its job socket, so its launch ends when it has started. */
  readonly role: "product" | "job";
  /** Name of the container, unique on the engine. */
  readonly name: string;
  readonly image: string;
  /** When the image is pulled: see `PullPolicy`. Default `if-missing`. */
  readonly pull?: PullPolicy;
  /**
   * Values of the manifest's parameters. They win over `templateEnv`, and that over the manifest's defaults. One given as
   * a `Secret` is taken out of every log and error, whatever the manifest says of its parameter.
   */
  readonly env?: Readonly<Record<string, ParameterValue>>;
  readonly templateEnv?: Readonly<Record<string, ParameterValue>>;
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
  /** Limit of memory, without swap, in bytes. Default: what the manifest says, else none. */
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

const KNOWN = Object.keys({
  role: true,
  name: true,
  image: true,
  pull: true,
  env: true,
  templateEnv: true,
  infrastructureEnv: true,
  command: true,
  accelerator: true,
  network: true,
  labels: true,
  publishedHost: true,
  memoryBytes: true,
  init: true,
} satisfies Record<keyof LaunchChoices, true>);

/** Throws an error that lists every choice that cannot be, with its value where that is no secret. */
export function validateChoices(choices: LaunchChoices): void {
  if (typeof choices !== "object" || choices === null) {
    throw new ProductRuntimeError("invalid-option", `choices must be an object, is ${showValue(choices)}`);
  }
  const problems = [...unknownKeys(choices, KNOWN), ...problemsOf(choices), ...variableProblems(choices)];
  if (problems.length === 0) return;
  const list = problems.length === 1 ? ` ${problems[0]}` : problems.map((problem) => `\n  - ${problem}`).join("");
  throw new ProductRuntimeError("invalid-option", `cannot launch ${showValue(choices.name)}:${list}`);
}

function* problemsOf(choices: LaunchChoices): Generator<string> {
  const { role, name, image, pull, command, accelerator, network, publishedHost, memoryBytes, init } = choices;
  if (role !== "product" && role !== "job") yield `role must be "product" or "job", is ${showValue(role)}`;
  if (typeof name !== "string" || !NAME.test(name)) {
    yield `name must be 2 or more letters, digits, _, . and -, is ${showValue(name)}`;
  }
  if (!isImageName(image)) yield `image must be the name of an image, is ${showValue(image)}`;
  if (pull !== undefined && !PULL_POLICIES.includes(pull)) {
    yield `pull must be one of ${PULL_POLICIES.join(", ")}, is ${showValue(pull)}`;
  }
  if (command !== undefined && !(Array.isArray(command) && command.every((word) => typeof word === "string"))) {
    yield `command must be an array of words, is ${showValue(command)}`;
  } else if (command?.length === 0) {
    yield "command must have at least one word; leave it out for the image's own";
  }
  if (accelerator !== undefined && typeof accelerator?.kind !== "string") {
    yield `accelerator must be an object such as {kind: "nvidia"}, is ${showValue(accelerator)}`;
  }
  // These are no networks of their own: they have no ports to publish.
  if (network !== undefined && (!NAME.test(network ?? "") || network === "host" || network === "none")) {
    yield `network must be the name of a bridge or overlay network, is ${showValue(network)}`;
  }
  if (publishedHost !== undefined && isIP(publishedHost) === 0) {
    yield `publishedHost must be an IP address, is ${showValue(publishedHost)}`;
  }
  if (memoryBytes !== undefined && !(Number.isInteger(memoryBytes) && memoryBytes >= MIN_MEMORY_BYTES)) {
    yield `memoryBytes must be a whole number of at least ${MIN_MEMORY_BYTES}, is ${showValue(memoryBytes)}`;
  }
  if (init !== undefined && typeof init !== "boolean") yield `init must be true or false, is ${showValue(init)}`;
}

/** The names of the parameters that were given as a `Secret`. */
export function secretsGiven({ env = {}, templateEnv = {} }: LaunchChoices): ReadonlySet<string> {
  const given = [...Object.entries(env), ...Object.entries(templateEnv)];
  return new Set(given.filter(([, value]) => value instanceof Secret).map(([name]) => name));
}

/** What is wrong with names and values. No value is shown: it may be a secret. */
function* variableProblems(choices: LaunchChoices): Generator<string> {
  for (const field of ["labels", "env", "templateEnv", "infrastructureEnv"] as const) {
    const given: unknown = choices[field];
    if (given === undefined) continue;
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      const found = typeof given === "string" ? "a string" : showValue(given);
      yield `${field} must be an object of names and values, is ${found}`;
      continue;
    }
    for (const [name, value] of Object.entries(given)) {
      const problem = FIELD_PROBLEM[field](name, value);
      if (problem !== undefined) yield `${field}: ${problem}`;
    }
  }
}

const FIELD_PROBLEM: Record<
  "labels" | "env" | "templateEnv" | "infrastructureEnv",
  (name: string, value: unknown) => string | undefined
> = {
  labels: (name, value) => {
    if (name.startsWith("changeover.")) return `${name} is reserved; choose a name without "changeover."`;
    return typeof value === "string" ? undefined : `the value of ${name} must be a string`;
  },
  env: parameterProblem,
  templateEnv: parameterProblem,
  infrastructureEnv: (name, value) => {
    if (!INFRASTRUCTURE_NAME.test(name)) return `${name} must start with ${RESERVED_PREFIX}; parameters go into env`;
    if (typeof value === "string" && !value.includes("\0")) return undefined;
    return `the value of ${name} must be a string without NUL characters`;
  },
};

/** All else about a parameter is between the manifest and its values. */
function parameterProblem(name: string): string | undefined {
  if (!name.startsWith(RESERVED_PREFIX)) return undefined;
  return `${name} is no parameter, as its name starts with ${RESERVED_PREFIX}; pass it in infrastructureEnv`;
}
