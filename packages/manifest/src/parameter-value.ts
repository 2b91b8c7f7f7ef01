import type { Parameter } from "./parameter.js";
import { compilePattern } from "./pattern.js";
import { quoted, typeOf } from "./problems.js";
import { Secret } from "./secret.js";

/** A value as it is given for a parameter: as an environment has it, or of the parameter's own type. */
export type ParameterValue = string | number | boolean | Secret;

/** A value as it goes into the environment, or what is wrong with it: without the value, which may be a secret. */
export type CheckedValue = { readonly value: string | Secret } | { readonly problem: string };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Checks a value against its parameter. What is secret, by the parameter or because it was given so, stays secret. */
export function checkValue(parameter: Parameter, given: unknown): CheckedValue {
  const isSecret = Secret.isInstance(given);
  const value = isSecret ? given.reveal() : given;
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  const problem = problemWith(parameter, value, text);
  if (problem !== undefined || typeof text !== "string") return { problem: problem ?? "" };
  return { value: isSecret || parameter.secret ? new Secret(text) : text };
}

function problemWith(parameter: Parameter, value: unknown, text: unknown): string | undefined {
  const rule = ruleOf(parameter);
  if (typeof text !== "string") return `must be ${rule}, not ${typeOf(value)}`;
  if (text.includes("\0")) return "must not contain a NUL character: an environment cannot hold one";
  switch (parameter.type) {
    case "string":
      if (typeof value !== "string") return `must be ${rule}, not ${typeOf(value)}`;
      if (parameter.pattern === undefined || compilePattern(parameter.pattern)(text)) return undefined;
      return `must match the pattern ${parameter.pattern}`;
    case "number":
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? undefined : `must be ${rule}`;
    case "boolean":
      return text === "true" || text === "false" ? undefined : `must be ${rule}`;
    case "enum":
      return parameter.values.includes(text) ? undefined : `must be ${rule}`;
  }
}

function ruleOf(parameter: Parameter): string {
  switch (parameter.type) {
    case "string":
      return "a string";
    case "number":
      return "a number in decimal, such as 25 or -0.5";
    case "boolean":
      return "true or false";
    case "enum":
      return `one of ${quoted(parameter.values)}`;
  }
}
