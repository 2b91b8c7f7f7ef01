import { expect, it, vi } from "vitest";

it("does not load OpenTelemetry unless asked for it", async () => {
  vi.doMock("@opentelemetry/api", () => {
    throw new Error("not installed");
  });
  await expect(import("../src/observe/opentelemetry.js")).rejects.toThrow("mocking a module");
  await expect(import("../src/index.js")).resolves.toHaveProperty("startMigrationWorker");
});
