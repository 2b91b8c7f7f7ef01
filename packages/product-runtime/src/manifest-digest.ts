import type { Manifest } from "@changeover/manifest";
import { createHash } from "node:crypto";

/** Tells manifests apart by what they say, whatever the order in which they say it: `sha256:` and 64 hex digits. */
export function manifestDigest(manifest: Manifest): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(manifest, sorted)).digest("hex")}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
