import type { ExpectedFailures } from "./expected-failures.js";
import type { Rule } from "./rule.js";
import { Stage } from "./stage.js";
import { unlessAborted } from "./unless-aborted.js";
import { Violation } from "./violation.js";

/** What a client did instead of what a rule says. */
export interface Failure {
  readonly expected: string;
  readonly got: string;
  /** All that happened up to then, a line each. */
  readonly sequence: readonly string[];
}

interface Outcome {
  readonly rule: Rule;
  readonly durationMs: number;
}

/** What became of a rule. `stale`: it passed, although it was expected to fail. */
export type RuleResult =
  | (Outcome & { readonly status: "passed" })
  | (Outcome & { readonly status: "failed"; readonly failure: Failure })
  | (Outcome & { readonly status: "expected-failure"; readonly failure: Failure; readonly reason: string })
  | (Outcome & { readonly status: "stale"; readonly reason: string });

export interface Subject {
  /** Starts the client, and its arguments. */
  readonly command: readonly string[];
  readonly startTimeoutMs: number;
}

/** Plays the sequence of a rule with a client that is started for it and gone afterwards. */
export async function checkRule(
  rule: Rule,
  subject: Subject,
  expectedFailures: ExpectedFailures,
  signal: AbortSignal,
): Promise<RuleResult> {
  const startedAt = performance.now();
  const failure = await play(rule, subject, signal);
  const outcome = { rule, durationMs: Math.round(performance.now() - startedAt) };
  const reason = expectedFailures.get(rule.number);
  if (!failure)
    return reason === undefined ? { ...outcome, status: "passed" } : { ...outcome, status: "stale", reason };
  if (reason === undefined) return { ...outcome, status: "failed", failure };
  return { ...outcome, status: "expected-failure", failure, reason };
}

async function play(rule: Rule, subject: Subject, signal: AbortSignal): Promise<Failure | undefined> {
  signal.throwIfAborted();
  const stage = await Stage.start({ ...subject, role: rule.role ?? "source", env: rule.env ?? {} });
  try {
    await unlessAborted(rule.check(stage), signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { expected: error.expected, got: error.got, sequence: [...stage.sequence] };
  } finally {
    await stage.close();
  }
}
