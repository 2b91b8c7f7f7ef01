declare global {
  var jobEnvironment: Record<string, string> | undefined;
}

/** The environment where there are no environment variables: in a page. */
export const pageEnvironment = globalThis.jobEnvironment;
