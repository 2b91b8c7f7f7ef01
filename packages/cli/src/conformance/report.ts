import pc from "picocolors";
import type { Failure, RuleResult } from "./check-rule.js";

/** A rule as one line for a person, and under a failure what happened before it. */
export function formatResult(result: RuleResult): string {
  const { number, title } = result.rule;
  const name = `${String(number).padStart(2)}  ${title}`;
  switch (result.status) {
    case "passed":
      return `${pc.green("✔")} ${name}`;
    case "failed":
      return `${pc.red("✖")} ${name}: ${what(result.failure)}\n${formatSequence(result.failure)}`;
    case "expected-failure":
      return `${pc.yellow("~")} ${name}: fails as expected (${result.reason}): ${what(result.failure)}`;
    case "stale":
      return `${pc.red("✖")} ${name}: passes, and is still in the list of expected failures (${result.reason})`;
  }
}

/** The last line: how many rules are kept. */
export function formatSummary(results: readonly RuleResult[]): string {
  const { passed, failed, expectedFailures, stale } = count(results);
  const others = [
    failed > 0 ? pc.red(`${failed} failed`) : "",
    expectedFailures > 0 ? pc.yellow(`${expectedFailures} failed as expected`) : "",
    stale > 0 ? pc.red(`${stale} no longer fail, remove them from the list`) : "",
  ].filter((part) => part !== "");
  return [`${passed} of ${results.length} rules kept`, ...others].join(", ");
}

/** The same for a machine. */
export function toJson(command: readonly string[], results: readonly RuleResult[]): object {
  const rules = results.map(({ rule: { number, title, paragraph }, ...result }) => ({
    number,
    title,
    paragraph,
    ...result,
  }));
  return { command, isConformant: isConformant(results), ...count(results), rules };
}

/** Whether nothing failed that was not expected to, and nothing passed that was. */
export function isConformant(results: readonly RuleResult[]): boolean {
  return results.every(({ status }) => status === "passed" || status === "expected-failure");
}

function count(results: readonly RuleResult[]) {
  const ofStatus = (status: RuleResult["status"]): number => results.filter((each) => each.status === status).length;
  return {
    passed: ofStatus("passed"),
    failed: ofStatus("failed"),
    expectedFailures: ofStatus("expected-failure"),
    stale: ofStatus("stale"),
  };
}

function what({ expected, got }: Failure): string {
  return `expected ${expected}, got ${got}`;
}

function formatSequence({ sequence }: Failure): string {
  return sequence.map((line, nth) => pc.dim(`     ${String(nth + 1).padStart(3)}  ${line}`)).join("\n");
}
