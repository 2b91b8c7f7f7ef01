import { defineConfig } from "vitest/config";

const dockerTests = "**/*.docker.test.ts";
const longTests = "**/*.long.test.ts";
const special: Record<string, string[] | undefined> = { docker: [dockerTests], long: [longTests] };
const conditions = ["@changeover/source", "node", "import", "default"];

// One configuration for every package, run from the package's folder. Tests that need a Docker engine say so in their
// name and run on their own with `--mode docker`; so do those that take minutes, with `--mode long`.
export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: special[mode] ?? ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(special[mode] ? [] : [dockerTests, longTests])],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    slowTestThreshold: 5_000,
    // An engine is one shared machine: its tests run a file at a time.
    fileParallelism: mode !== "docker",
  },
}));
