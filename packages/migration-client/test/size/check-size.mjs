// Weighs what a product author gets with the client, and fails where it is more than was promised: the bundle, the
// packages that come with an installation, and the time that a process takes to start and be acknowledged.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const most = { bundleBytes: 11_700, packages: 4, startRatio: 1.15 };
/** Of each kind, by turns. */
const starts = 31;

const clientManifest = fileURLToPath(new URL("../../package.json", import.meta.url));
const { WebSocketServer } = createRequire(clientManifest)("ws");

async function bundleBytes() {
  const { exports } = JSON.parse(readFileSync(clientManifest, "utf8"));
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(exports["."].default, `file://${clientManifest}`))],
    bundle: true,
    minify: true,
    format: "esm",
    external: ["ws"],
    write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

/** The names of a package and of all that npm installs for it. */
function installed(manifest, found = new Set()) {
  const { name, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = readManifest(manifest);
  if (found.has(name)) return found;
  found.add(name);
  const isLeftOut = (peer) => peerDependenciesMeta?.[peer]?.optional;
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !isLeftOut(peer));
  for (const each of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    installed(createRequire(manifest).resolve(`${each}/package.json`), found);
  }
  return found;
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** How much longer our client takes than the plainest one, from the start of the process to its end on hello-ack. */
async function startTimes() {
  const worker = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  worker.on("connection", (socket) => socket.once("message", () => socket.send('{"type":"hello-ack"}')));
  await new Promise((resolve) => worker.once("listening", resolve));
  const env = { NORSK_WORKER_WS_URL: `ws://127.0.0.1:${worker.address().port}/`, NORSK_WORKER_TOKEN: "token" };
  const jobs = ["start-client.mjs", "start-plain.mjs"].map((file) => ({
    path: fileURLToPath(new URL(file, import.meta.url)),
    times: [],
  }));
  // The first turn fills the caches of the machine and does not count.
  for (let turn = 0; turn <= starts; turn++) {
    for (const { path, times } of turn % 2 === 0 ? jobs : jobs.toReversed()) {
      const startedAt = performance.now();
      await promisify(execFile)(process.execPath, [path], { env, timeout: 10_000 });
      if (turn > 0) times.push(performance.now() - startedAt);
    }
  }
  worker.close();
  return jobs.map(({ times }) => times.toSorted((a, b) => a - b)[Math.floor(starts / 2)]);
}

const bytes = await bundleBytes();
const packages = [...installed(clientManifest)];
const promises = {
  [`client and protocol make a bundle of ${bytes} bytes, minified and gzipped (at most ${most.bundleBytes})`]:
    bytes <= most.bundleBytes,
  [`the client brings ${packages.length} packages: ${packages.join(", ")} (at most ${most.packages})`]:
    packages.length <= most.packages,
};
// With a global WebSocket the client leaves `ws` alone, and its start is mostly that of another implementation.
if (!("WebSocket" in globalThis)) {
  // What else the machine does weighs on one of the two by chance: a ratio that holds in a quieter round holds.
  let [clientMs, plainMs] = await startTimes();
  for (let round = 1; round < 3 && clientMs / plainMs > most.startRatio; round++) {
    [clientMs, plainMs] = await startTimes();
  }
  const ratio = clientMs / plainMs;
  promises[
    `a job is acknowledged ${clientMs.toFixed(1)} ms after its start, the plainest client of ws after ` +
      `${plainMs.toFixed(1)} ms: ${ratio.toFixed(3)} times as long (at most ${most.startRatio})`
  ] = ratio <= most.startRatio;
}
for (const [promise, isKept] of Object.entries(promises)) process.stdout.write(`${isKept ? "✔" : "✖"} ${promise}\n`);
process.exitCode = Object.values(promises).every(Boolean) ? 0 : 1;
