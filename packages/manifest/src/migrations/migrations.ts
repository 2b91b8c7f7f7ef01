import { v1ToV2 } from "./v1-to-v2.js";

/** Brings a manifest that is written in one schema version to the next, whatever mistakes are in it. */
export type Migration = (manifest: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The migration at index 0 brings version 1 to version 2, and so on. None is changed once its version was released. */
export const MIGRATIONS: readonly Migration[] = [v1ToV2];
