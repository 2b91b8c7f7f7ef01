export { ACCELERATORS, resolveAccelerator, type Accelerator, type AcceleratorPolicy } from "./accelerator.js";
export { assertManifest } from "./assert-manifest.js";
export type { Extensions } from "./extensions.js";
export type { GivenValues } from "./given-values.js";
export {
  encodeManifestLabel,
  MANIFEST_LABEL,
  MANIFEST_LABEL_MAX_BYTES,
  MANIFEST_PATH,
  readManifestLabel,
} from "./label.js";
export {
  HANDOVER_PHASES,
  type Handover,
  type Health,
  type Manifest,
  type Ports,
  type Resources,
  type StagedFile,
  type StagedSecret,
} from "./manifest.js";
export { manifestDifferences, type ManifestOrigins } from "./manifest-differences.js";
export { ManifestError, type ManifestErrorCode, type ManifestProblem } from "./manifest-error.js";
export { migrateManifest } from "./migrate-manifest.js";
export type { BooleanParameter, EnumParameter, NumberParameter, Parameter, StringParameter } from "./parameter.js";
export { RESERVED_PREFIX } from "./parameter-name.js";
export type { ParameterValue } from "./parameter-value.js";
export { parseManifest } from "./parse-manifest.js";
export { PRIVILEGES, type Privilege } from "./privileges.js";
export { readManifest, type ReadManifest } from "./read-manifest.js";
export { resolveFiles, type FileContent, type FileValues, type ResolvedFile } from "./resolve-files.js";
export {
  resolveParameters,
  revealParameters,
  type ParameterValues,
  type ResolvedParameters,
} from "./resolve-parameters.js";
export { MANIFEST_SCHEMA_ID, SCHEMA_VERSION } from "./schema-version.js";
export { Secret } from "./secret.js";
export { parseTemplate, type Template } from "./template.js";
