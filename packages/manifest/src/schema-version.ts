/** The schema version that is written and understood here. Older ones are migrated to it. */
export const SCHEMA_VERSION = 2;

/**
 * Where the JSON Schema of {@link SCHEMA_VERSION} is published, for the field `$schema` of a manifest. The package has
 * the same file as `json-schema/manifest.v2.json`.
 */
export const MANIFEST_SCHEMA_ID =
  "https://raw.githubusercontent.com/changeover/changeover/main/packages/manifest/json-schema/manifest.v2.json";
