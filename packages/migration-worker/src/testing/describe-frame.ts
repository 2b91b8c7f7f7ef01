/** What the frames of a connection have in common, and what no two runs have. */
const hidden = new Set(["type", "token", "session", "client", "worker", "limits", "pingIntervalMs"]);
const maxLength = 120;

/** A frame as the protocol's own traces show it: `cutover-ready {m-1, epoch: 2, payload: {n: 1250}}`. */
export function describeFrame(frame: Record<string, unknown>): string {
  const parts = Object.entries(frame).flatMap(([name, value]) => {
    if (hidden.has(name)) return [];
    return name === "migrationId" ? [String(value)] : [`${name}: ${shown(value)}`];
  });
  const text = parts.join(", ");
  return `${String(frame["type"])} {${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}}`;
}

function shown(value: unknown): string {
  if (typeof value === "number") return String(Math.round(value * 1_000) / 1_000);
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${shown(field)}`);
  return `{${fields.join(", ")}}`;
}

/** A frame, read only to be shown. */
export function readFrame(text: string): Record<string, unknown> {
  try {
    const frame: unknown = JSON.parse(text);
    if (typeof frame === "object" && frame !== null) return { ...frame };
  } catch {
    // What a job sends that is no frame is for the worker to judge.
  }
  return { type: "?" };
}

/** The migration that a frame is about. */
export function migrationOf({ migrationId, migration }: Record<string, unknown>): string | undefined {
  if (typeof migrationId === "string") return migrationId;
  if (typeof migration === "object" && migration !== null && "id" in migration) return String(migration.id);
  return undefined;
}
