// Builds what the demo needs. Silent unless something is wrong or it takes long enough to wonder about.
import { spawnSync } from "node:child_process";

const isTerminal = process.stderr.isTTY;
if (isTerminal) process.stderr.write("building …");
const { status, stdout, stderr, error } = spawnSync(
  "turbo",
  ["run", "build", "--filter=changeover", "--output-logs=errors-only", "--log-order=grouped"],
  {
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", CHANGEOVER_NODE: process.version },
  },
);
if (isTerminal) process.stderr.write("\r\u001b[K");
if (status !== 0) {
  process.stderr.write(`The build failed.\n${stdout ?? ""}${stderr ?? ""}${error ? `${error.message}\n` : ""}`);
  process.exitCode = 1;
}
