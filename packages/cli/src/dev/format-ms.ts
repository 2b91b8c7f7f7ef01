/** A duration for a person, with the digits that matter. */
export function formatMs(ms: number): string {
  if (ms < 100) return `${ms.toFixed(1)} ms`;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
