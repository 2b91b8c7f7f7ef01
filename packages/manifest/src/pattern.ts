import { RE2JS } from "re2js";

/**
 * Compiles the pattern of a parameter, for whole values. It comes from a product and is matched in the process of
 * whoever places it: RE2 takes time in proportion to the value, whatever the pattern, where a RegExp could take for ever.
 */
export function compilePattern(pattern: string): (value: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (value) => compiled.testExact(value);
}

/** Why a text is no pattern, or `undefined`. A form in a browser must be able to use it as well. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return RegExp(pattern, "u") && undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
