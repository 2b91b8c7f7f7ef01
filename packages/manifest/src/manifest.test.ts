import { DEFAULT_DEADLINES_MS } from "@changeover/migration-protocol";
import { expect, it } from "vitest";
import { HANDOVER_PHASES } from "./manifest.js";

it("has a deadline for every phase that the worker has, by the same names", () => {
  expect(HANDOVER_PHASES).toEqual(Object.keys(DEFAULT_DEADLINES_MS));
});
