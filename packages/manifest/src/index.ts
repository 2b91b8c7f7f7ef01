export { ACCELERATORS, resolveAccelerator, type Accelerator, type AcceleratorPolicy } from "./accelerator.js";
export { assertManifest } from "./assert-manifest.js";
export type { Health, Manifest, Parameter } from "./manifest.js";
export { ManifestError, type ManifestErrorCode, type ManifestProblem } from "./manifest-error.js";
export { RESERVED_PREFIX } from "./parameter-name.js";
export { parseManifest } from "./parse-manifest.js";
export { resolveParameters, type ParameterValues } from "./resolve-parameters.js";
