import type { Case } from "./case.js";
import type { Runtime } from "./runtime.js";
import { Stage } from "./stage.js";

const CASE_TIMEOUT_MS = 30_000;

/** Runs a case on a runtime, and returns why it failed, if it did. */
export async function runCase({ run }: Case, runtime: Runtime): Promise<string | undefined> {
  const stage = new Stage(runtime);
  const problems: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
    });
    await Promise.race([run(stage), late]);
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    clearTimeout(timer);
  }
  problems.push(...(await stage.end()));
  return problems.length === 0 ? undefined : [...problems, stage.story()].join("\n");
}
