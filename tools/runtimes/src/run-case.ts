import type { Case } from "./case.js";
import type { Runtime } from "./runtime.js";
import { Stage } from "./stage.js";

const CASE_TIMEOUT_MS = 30_000;

/** Runs a case on a runtime, and returns why it failed, if it did. */
export async function runCase({ run }: Case, runtime: Runtime): Promise<string | undefined> {
  const stage = new Stage(runtime);
  const problems: string[] = [];
  try {
    await inTime("the case", run(stage));
  } catch (error) {
    problems.push(describe(error));
  }
  try {
    problems.push(...(await inTime("the clean-up", stage.end())));
  } catch (error) {
    problems.push(describe(error));
  }
  return problems.length === 0 ? undefined : [...problems, stage.story()].join("\n");
}

async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
