import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Ends what is still running when this process is gone, however that came about. */
export interface Guardian {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

export function startGuardian(): Guardian {
  const program = fileURLToPath(new URL("./guardian-program.js", import.meta.url));
  // In a group of its own: what ends the terminal's group must not end the guardian first.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without it all works but the end by SIGKILL.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  return {
    watch: (pid) => void child.stdin.write(`+${pid}\n`),
    forget: (pid) => void child.stdin.write(`-${pid}\n`),
    close: () => void child.stdin.end(),
  };
}
