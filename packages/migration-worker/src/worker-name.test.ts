import { expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { WORKER_NAME } from "./worker-name.js";

it("is the package's own name and version", () => {
  expect(WORKER_NAME).toBe(`${manifest.name}/${manifest.version}`);
});
