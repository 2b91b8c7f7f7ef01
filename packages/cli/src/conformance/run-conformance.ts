import pc from "picocolors";
import { allRules } from "./all-rules.js";
import { checkRule, type RuleResult } from "./check-rule.js";
import { readExpectedFailures } from "./expected-failures.js";
import { makeFirstContact } from "./first-contact.js";
import { onlyRules } from "./only-rules.js";
import { formatResult, formatSummary, isConformant, toJson } from "./report.js";

/** Most of a rule's time is waiting. */
const rulesAtATime = 8;

export interface ConformanceOptions {
  readonly json: boolean;
  /** File with the list of expected failures. */
  readonly expectedFailures?: string;
  /** Numbers of the rules to check, with commas between them. */
  readonly only?: string;
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Checks the client that a command starts, prints what it keeps, and returns the exit code. */
export async function runConformance(command: readonly string[], options: ConformanceOptions): Promise<number> {
  if (command.length === 0) {
    throw new Error("conformance needs the command that starts the client: changeover conformance -- node job.mjs");
  }
  const { json, only, startTimeoutMs, signal } = options;
  if (!Number.isInteger(startTimeoutMs) || startTimeoutMs <= 0) {
    throw new Error(`--start-timeout must be a whole number of milliseconds above 0, and is ${startTimeoutMs}`);
  }
  const rules = only === undefined ? allRules : onlyRules(only, allRules);
  const file = options.expectedFailures;
  const expectedFailures = file === undefined ? new Map<number, string>() : await readExpectedFailures(file, allRules);
  const subject = { command, startTimeoutMs };
  await makeFirstContact(subject, signal);

  const show = json ? (): void => {} : (result: RuleResult): void => console.log(formatResult(result));
  const results = await inOrder(rules, (rule) => checkRule(rule, subject, expectedFailures, signal), show);
  console.log(json ? JSON.stringify(toJson(command, results)) : `\n${pc.bold(formatSummary(results))}`);
  return isConformant(results) ? 0 : 1;
}

/** Does several things at a time, and shows what came of them in their order as soon as that is possible. */
async function inOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  show: (result: R) => void,
): Promise<R[]> {
  const results: R[] = [];
  const done = new Map<number, R>();
  const queue = [...items.entries()];
  const takeTurns = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [nth, item] = next;
      done.set(nth, await work(item));
      for (let ready = done.get(results.length); ready !== undefined; ready = done.get(results.length)) {
        results.push(ready);
        show(ready);
      }
    }
  };
  const turns = await Promise.allSettled(Array.from({ length: rulesAtATime }, takeTurns));
  // Only when all have ended: each of them has a client to clear away.
  for (const turn of turns) if (turn.status === "rejected") throw turn.reason;
  return results;
}
