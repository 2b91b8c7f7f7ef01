/**
 * What the other packages of this repository use and nobody else should: it is outside semantic versioning.
 *
 * @packageDocumentation
 */
export { buildImage, type ImageRecipe } from "./build-image.js";
export { hostForContainers } from "./host-for-containers.js";
export { importNodeImage } from "./node-image.js";
