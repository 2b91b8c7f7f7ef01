import { readEnvelope, type Envelope } from "./envelope.js";
import { MIGRATIONS } from "./migrations/migrations.js";
import { SCHEMA_VERSION } from "./schema-version.js";

/**
 * Brings a manifest of any schema version, as it comes out of `JSON.parse`, to the current one. The result is a manifest
 * as an author writes it, without the defaults, to be kept in place of the old one; it is not checked: `parseManifest`
 * does that, and migrates by itself. The input stays as it is.
 *
 * @throws {@link ManifestError} with code `unsupported-schema-version` when the manifest is of a newer version, and with
 * `invalid-manifest` when it is no object or says no version.
 *
 * @example
 * ```ts
 * import { migrateManifest } from "@changeover/manifest";
 *
 * migrateManifest({ schemaVersion: 1, name: "encoder", parameters: { BITRATE: { description: "in kbit/s" } } });
 * // { schemaVersion: 2, name: "encoder", parameters: { BITRATE: { help: "in kbit/s" } } }
 * ```
 */
export function migrateManifest(input: unknown): Record<string, unknown> {
  return migrated(readEnvelope(input));
}

/** What {@link migrateManifest} returns, of a manifest whose version was read. */
export function migrated({ raw, schemaVersion }: Envelope): Record<string, unknown> {
  const manifest = MIGRATIONS.slice(schemaVersion - 1).reduce((older, migrate) => migrate(older), raw);
  return { ...manifest, schemaVersion: SCHEMA_VERSION };
}
