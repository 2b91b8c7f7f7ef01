/**
 * When an image is pulled: `always`, so that a tag is the registry's newest; only `if-missing` on the engine; or
 * `never`, so that a missing one is an error.
 */
export type PullPolicy = "always" | "if-missing" | "never";

export const PULL_POLICIES: readonly unknown[] = ["always", "if-missing", "never"] satisfies PullPolicy[];
