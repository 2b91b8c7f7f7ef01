// Makes one file of the ticker and all it needs: the demo runs it as a process, and in an image that holds only Node.
import { copyFile } from "node:fs/promises";
import { build } from "esbuild";

await build({
  entryPoints: ["../../examples/ticker/dist/ticker.js"],
  outfile: "dist/demo/ticker.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // ws is CommonJS and requires Node's own modules.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  logLevel: "warning",
});
await copyFile("../../examples/ticker/manifest.json", "dist/demo/ticker-manifest.json");
