import * as z from "zod/mini";
import { ACCELERATORS } from "./accelerator.js";
import type { Manifest } from "./manifest.js";
import { parameterNameProblem } from "./parameter-name.js";

const MODES = ["fixed", "default", "required"];
const CONTROL_PORT = 4321;

/** As strict as it gets: a misspelt field is a field that silently does nothing. */
function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? `is unknown; known are ${allowed}` : "must be an object"),
  });
}

const quoted = (values: readonly string[]): string => values.map((value) => JSON.stringify(value)).join(", ");

const text = z.string("must be a string");
const flag = z.boolean("must be true or false");

function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.number(rule).check(z.int(rule), z.minimum(min, rule), z.maximum(max, rule));
}

// The engine's own rule for the names of containers.
const NAME_RULE = "must be 2 to 100 letters, digits, _, . and -, starting with a letter or digit";
const name = z.string(NAME_RULE).check(z.regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,99}$/, NAME_RULE));

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

const parameterName = z.string().check((payload) => {
  const message = parameterNameProblem(payload.value);
  if (message !== undefined) payload.issues.push({ code: "custom", message, input: payload.value });
});

const parameter = fields({
  default: z.exactOptional(text),
  required: z._default(flag, false),
  secret: z._default(flag, false),
  description: z.exactOptional(text),
}).check((payload) => {
  if (payload.value.secret && payload.value.default !== undefined) {
    const message = "must be left out, because a secret has no default";
    payload.issues.push({ code: "custom", message, path: ["default"], input: undefined });
  }
});

const PORT_NAME_RULE = "a port's name must be lower-case letters, digits and -, starting with a letter";
const portName = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,62}$/, PORT_NAME_RULE));
const ports = z
  .record(portName, wholeNumber(1, 65_535), "must be an object of names and port numbers")
  .check((payload) => {
    const names = new Map<number, string>();
    for (const [name, port] of Object.entries(payload.value)) {
      const other = names.get(port);
      if (other !== undefined) {
        payload.issues.push({ code: "custom", message: `is the port of ${other} too`, path: [name], input: port });
      }
      names.set(port, name);
    }
  });

const HEALTH_PATH_RULE = 'must be a path that starts with "/" and has no white space or "#"';
const health = fields({
  path: z.string(HEALTH_PATH_RULE).check(z.regex(/^\/[^\s#]*$/, HEALTH_PATH_RULE)),
  intervalMs: z._default(wholeNumber(1, 60_000), 100),
  startupTimeoutMs: z._default(wholeNumber(1, 86_400_000), 60_000),
});

/** The manifest of schema version 1. Every message completes a sentence whose subject is the field. */
export const manifestSchema: z.ZodMiniType<Manifest & { $schema?: string }> = fields({
  $schema: z.exactOptional(text),
  schemaVersion: z.literal(1, "must be 1"),
  name,
  version: z.exactOptional(text),
  title: z.exactOptional(text),
  description: z.exactOptional(text),
  accelerator: z._default(accelerator, { mode: "fixed", value: "none" }),
  parameters: z._default(z.record(parameterName, parameter, "must be an object of names and parameters"), {}),
  ports: z._default(ports, { control: CONTROL_PORT }),
  health: z.exactOptional(health),
  handover: z._default(fields({ supported: flag }), { supported: false }),
});
