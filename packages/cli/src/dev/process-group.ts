/** Windows has no process groups: there only the process itself is ended. */
export const hasGroups = process.platform !== "win32";

/** Sends a signal to a process and to all that it started, as far as they are still there. */
export function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // They are gone.
  }
}
