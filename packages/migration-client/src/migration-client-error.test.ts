import { expect, test, vi } from "vitest";
import { MigrationClientError } from "./migration-client-error.js";

test("an error keeps its code and its cause and is recognised by every copy of the package", async () => {
  vi.resetModules();
  const copy = await import("./migration-client-error.js");
  const cause = new TypeError("a cycle");
  const error = new copy.MigrationClientError("unserialisable-payload", "no JSON", { cause });
  expect(error).toMatchObject({ name: "MigrationClientError", code: "unserialisable-payload", cause });
  expect(error).not.toBeInstanceOf(MigrationClientError);
  expect(MigrationClientError.isInstance(error)).toBe(true);
  expect(MigrationClientError.isInstance(cause)).toBe(false);
  expect(MigrationClientError.isInstance(undefined)).toBe(false);
});
