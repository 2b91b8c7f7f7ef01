import * as z from "zod/mini";
import { PARAMETER_NAME, parameterNameProblem } from "../parameter-name.js";
import { compilePattern, patternProblem } from "../pattern.js";
import { quoted } from "../problems.js";
import { described, fields, flag, setOf, text } from "./rules.js";

const TYPES = ["string", "number", "boolean", "enum"];
const MAX_PATTERN_LENGTH = 1_000;

const common = {
  required: described(z._default(flag, false), "Whether a value must be given. A default is one."),
  help: z.exactOptional(described(text, "Tells whoever gives the value what it means.")),
};
const noSecret = described(
  z._default(z.literal(false, "must be false or left out, because a secret is a string"), false),
  "Only a string can be secret.",
);
const USED = "Used when nobody gives a value.";

const pattern = text.check(
  z.maxLength(MAX_PATTERN_LENGTH, `must be at most ${MAX_PATTERN_LENGTH} characters long`),
  z.check((payload) => {
    const problem = patternProblem(payload.value);
    if (problem === undefined) return;
    const message = `must be a regular expression that RE2 and JavaScript read: ${problem}`;
    payload.issues.push({ code: "custom", message, input: payload.value });
  }),
);

const stringFields = {
  type: described(z._default(z.optional(z.literal("string")), "string"), "What the value is."),
  pattern: z.exactOptional(described(pattern, "A regular expression (RE2) that the whole value must match.")),
  ...common,
};
const noNul = text.check(z.refine((value) => !value.includes("\0"), "must not contain a NUL character"));
const stringDefault = z.exactOptional(described(noNul, USED));

const string = fields({
  ...stringFields,
  secret: described(
    z._default(flag, false),
    "Whether the value is kept out of every log, error, event and listing. A secret has no default.",
  ),
  default: stringDefault,
}).check((payload) => {
  const { secret, pattern, default: value } = payload.value;
  if (value === undefined) return;
  const refuse = (message: string): void => {
    payload.issues.push({ code: "custom", message, path: ["default"], input: undefined });
  };
  if (secret) refuse("must be left out, because a secret has no default");
  else if (pattern !== undefined && patternProblem(pattern) === undefined && !compilePattern(pattern)(value)) {
    refuse(`must match the pattern ${pattern}`);
  }
});

const number = fields({
  type: described(z.literal("number"), "What the value is."),
  ...common,
  secret: noSecret,
  default: z.exactOptional(described(z.number("must be a number"), USED)),
});

const boolean = fields({
  type: described(z.literal("boolean"), "What the value is."),
  ...common,
  secret: noSecret,
  default: z.exactOptional(described(flag, USED)),
});

const VALUES = "All that the value can be.";
const choice = fields({
  type: described(z.literal("enum"), "What the value is."),
  values: described(setOf(noNul).check(z.minLength(1, "must have at least one value")), VALUES),
  ...common,
  secret: noSecret,
  default: z.exactOptional(described(text, USED)),
}).check((payload) => {
  const { values, default: value } = payload.value;
  if (value === undefined || values.includes(value)) return;
  const message = `must be one of ${quoted(values)}`;
  payload.issues.push({ code: "custom", message, path: ["default"], input: undefined });
});

const parameter = z.discriminatedUnion("type", [string, number, boolean, choice], {
  error: (issue) => (issue.code === "invalid_union" ? `must be one of ${quoted(TYPES)}` : "must be an object"),
});

/** Parameters by the name of their variable. */
export const parameters = described(
  z._default(
    z.record(
      z.string().check(z.regex(PARAMETER_NAME, { error: ({ input }) => parameterNameProblem(String(input)) })),
      parameter,
      "must be an object of names and parameters",
    ),
    {},
  ),
  "Values that the product takes through its environment, by the name of the variable.",
);
