/** Prefix of the names that carry infrastructure into an instance, such as the job socket's URL and token. */
export const RESERVED_PREFIX = "NORSK_";

/** Names that a parameter can have. */
export const PARAMETER_NAME = new RegExp(`^(?!${RESERVED_PREFIX})[A-Z_][A-Z0-9_]*$`);

/** What is wrong with a name that is none. */
export function parameterNameProblem(name: string): string {
  return name.startsWith(RESERVED_PREFIX)
    ? `names that start with ${RESERVED_PREFIX} are reserved; choose another`
    : "a parameter's name must be capital letters, digits and _, not starting with a digit";
}
