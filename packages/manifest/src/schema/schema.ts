import * as z from "zod/mini";
import { ACCELERATORS } from "../accelerator.js";
import { HANDOVER_PHASES, type Manifest } from "../manifest.js";
import { PRIVILEGES } from "../privileges.js";
import { quoted } from "../problems.js";
import { SCHEMA_VERSION } from "../schema-version.js";
import { parameters } from "./parameters.js";
import { ports } from "./ports.js";
import { described, fields, flag, matching, setOf, text, wholeNumber } from "./rules.js";
import { size } from "./size.js";
import { files, secrets, stagedProblems } from "./staged.js";

const MODES = ["fixed", "default", "required"];
// setTimeout fires at once for anything longer.
const MAX_TIMER_MS = 2 ** 31 - 1;
// The engine's own limit.
const MIN_MEMORY_BYTES = 6 * 1024 * 1024;

// The engine's own rule for the names of containers.
const name = matching(
  /^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,99}$/,
  "must be 2 to 100 letters, digits, _, . and -, starting with a letter or digit",
);

const acceleratorValue = z.enum(ACCELERATORS, `must be one of ${quoted(ACCELERATORS)}`);
const accelerator = z.discriminatedUnion(
  "mode",
  [
    fields({ mode: z.literal("fixed"), value: acceleratorValue }),
    fields({ mode: z.literal("default"), value: acceleratorValue }),
    fields({ mode: z.literal("required") }),
  ],
  {
    error: (issue) =>
      issue.code === "invalid_union"
        ? `must be one of ${quoted(MODES)}`
        : `must be an object with "mode", one of ${quoted(MODES)}`,
  },
);

// Capabilities travel in one variable, separated by commas.
const capability = matching(
  /^[a-zA-Z0-9][a-zA-Z0-9._:/+-]{0,99}$/,
  "must be letters, digits, ., _, :, /, + and -, starting with a letter or digit",
);

const privilege = z.enum(PRIVILEGES, "must be the name of a privilege");

const health = fields({
  path: described(
    matching(/^\/[^\s#]*$/, 'must be a path that starts with "/" and has no white space or "#"'),
    "Path of the request to the port control. Any 2xx answer means that the product works.",
  ),
  intervalMs: described(
    z._default(wholeNumber(1, 3_600_000), 10_000),
    "From one request to the next once the product is ready, in milliseconds.",
  ),
  startupTimeoutMs: described(
    z._default(wholeNumber(1, 86_400_000), 60_000),
    "How long the product may take from its start until it is ready, in milliseconds.",
  ),
  failureThreshold: described(
    z._default(wholeNumber(1, 1_000), 3),
    "How many requests in a row must fail before a product that was ready no longer works.",
  ),
});

const CPUS = "must be a number of CPUs from 0.01 to 1024, such as 1.5";
const resources = fields({
  cpus: z.exactOptional(
    described(z.number(CPUS).check(z.minimum(0.01, CPUS), z.maximum(1024, CPUS)), "CPU time in CPUs."),
  ),
  memory: z.exactOptional(described(size(MIN_MEMORY_BYTES), 'Memory without swap, such as "512m", or in bytes.')),
  shm: z.exactOptional(described(size(1), 'Size of /dev/shm, such as "256m", or in bytes.')),
});

const deadline = z.exactOptional(wholeNumber(1, MAX_TIMER_MS));
type PhaseFields = Record<(typeof HANDOVER_PHASES)[number], typeof deadline>;
const handover = fields({
  supported: described(flag, "Whether jobs of the product can hand over to a fresh instance."),
  stateLimit: z.exactOptional(
    described(size(1), 'The largest state that is handed over, such as "1m", or in bytes of JSON.'),
  ),
  deadlinesMs: z.exactOptional(
    described(
      fields(Object.fromEntries(HANDOVER_PHASES.map((phase) => [phase, deadline])) as PhaseFields),
      "How long a phase may take where the worker's default does not suit the product, in milliseconds.",
    ),
  ),
});

/** The manifest of the current schema version. Every message completes a sentence whose subject is the field. */
export const manifestSchema: z.ZodMiniType<Manifest & { $schema?: string }> = fields({
  $schema: z.exactOptional(described(text, "Where editors find this schema.")),
  schemaVersion: described(z.literal(SCHEMA_VERSION), "Version of the format."),
  name: described(name, "Names the product."),
  version: z.exactOptional(described(text, "Version of the product.")),
  title: z.exactOptional(described(text, "Name of the product as people read it.")),
  description: z.exactOptional(described(text, "What the product does.")),
  accelerator: described(
    z._default(accelerator, { mode: "fixed", value: "none" }),
    "Hardware that the product computes on: fixed, a default that a choice overrides, or a choice that must be made.",
  ),
  capabilities: described(z._default(setOf(capability), []), "What the product can do, by which a placement finds it."),
  parameters,
  ports,
  health: z.exactOptional(described(health, "How to ask the product whether it works.")),
  resources: described(z._default(resources, {}), "What an instance may use at most."),
  privileges: described(
    z._default(setOf(privilege), []),
    "What a hardened container must leave to the product, by name.",
  ),
  files,
  secrets,
  handover: described(z._default(handover, { supported: false }), "Handing the product's jobs over."),
}).check((payload) => {
  for (const problem of stagedProblems(payload.value)) {
    payload.issues.push({ code: "custom", input: undefined, ...problem });
  }
});
