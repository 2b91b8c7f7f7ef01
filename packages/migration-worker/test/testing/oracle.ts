import type { HandoverEnd } from "../../src/handover/end.js";
import type { Trace } from "../../src/testing/index.js";
import type { Output } from "./counter-job.js";

/** What a run has broken of what is promised: nothing, if all is well. */
export function broken(output: Output, ends: readonly HandoverEnd[], trace: Trace): string[] {
  return [...ofOutput(output, ends), ...ofAnswers(trace, ends)];
}

/**
 * Nothing was doubled and nothing lost. What a target wrote that was fenced has been superseded: the source resumed from
 * where it had stopped, under a newer epoch.
 */
function ofOutput({ lines, mostActive }: Output, ends: readonly HandoverEnd[]): string[] {
  const problems: string[] = [];
  if (mostActive > 1) problems.push(`${mostActive} instances were active at the same time`);
  if (lines.some(({ epoch }, index) => epoch < (lines[index - 1]?.epoch ?? 0))) problems.push("an epoch went back");
  const fenced = new Set(ends.flatMap(({ outcome, migrationId }) => (outcome === "completed" ? [] : [migrationId])));
  const numbers = lines.flatMap(({ n, writer }) => (writer !== undefined && fenced.has(writer) ? [] : [n]));
  // The target of a source that has died goes on from its own position: what was written after that comes once more.
  const isSourceLost = ends.some((end) => end.outcome === "completed" && end.sourceLost !== undefined);
  const expectedOnce = isSourceLost ? [...new Set(numbers)].toSorted((a, b) => a - b) : numbers;
  const wrong = expectedOnce.findIndex((n, index) => n !== index);
  if (wrong !== -1) problems.push(`the output has ${expectedOnce[wrong]} where ${wrong} was due`);
  return problems;
}

/** Each question was answered once: never twice, and always where the handover went on from there. */
function ofAnswers(trace: Trace, ends: readonly HandoverEnd[]): string[] {
  const answers = new Map<string, Set<string>>();
  for (const { to, what } of trace.entries) {
    if (to !== "W" || !/^state(-refused)? /.test(what)) continue;
    const migration = /\bm-\d+\b/.exec(what)?.[0] ?? "";
    answers.set(migration, (answers.get(migration) ?? new Set()).add(/seq: \d+/.exec(what)?.[0] ?? ""));
  }
  const twice = [...answers].filter(([, seqs]) => seqs.size > 1);
  const never = ends.flatMap((end, index) => {
    const isAnswered = end.outcome === "completed" || (end.outcome === "aborted" && end.phase !== "propose");
    return isAnswered && !answers.has(`m-${index + 1}`) ? [`m-${index + 1}`] : [];
  });
  return [
    ...twice.map(([migration]) => `the get-state of ${migration} was answered twice`),
    ...never.map((migration) => `${migration} went on without an answer to get-state`),
  ];
}
