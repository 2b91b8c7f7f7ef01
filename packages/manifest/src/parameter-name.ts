/** Prefix of the names that carry infrastructure into an instance, such as the job socket's URL and token. */
export const RESERVED_PREFIX = "NORSK_";

const PATTERN = /^[A-Z_][A-Z0-9_]*$/;

/** What is wrong with the name of a parameter, or `undefined`. */
export function parameterNameProblem(name: string): string | undefined {
  if (!PATTERN.test(name)) return "a parameter's name must be capital letters, digits and _, not starting with a digit";
  if (name.startsWith(RESERVED_PREFIX)) return `names that start with ${RESERVED_PREFIX} are reserved; choose another`;
  return undefined;
}
