// Searches client and worker together for a broken promise, with one fault more than the tests allow.
import { spawnSync } from "node:child_process";

const args = ["vitest", "run", "-c", "../../vitest.config.ts", "--root", ".", "test/model.test.ts"];
const { status } = spawnSync("npx", args, {
  cwd: new URL("../packages/migration-worker", import.meta.url),
  env: { ...process.env, CHANGEOVER_MODEL: "large" },
  shell: process.platform === "win32",
  stdio: "inherit",
});
process.exitCode = status ?? 1;
