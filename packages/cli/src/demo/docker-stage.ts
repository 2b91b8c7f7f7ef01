import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseManifest, RESERVED_PREFIX, type Manifest } from "@changeover/manifest";
import { connectEngine, launch, type Engine, type LaunchedContainer } from "@changeover/product-runtime";
import { buildImage, hostForContainers, importNodeImage } from "@changeover/product-runtime/internal";
import type { Watcher } from "./scenario.js";
import type { Instance, Stage } from "./stage.js";

/** Runs jobs in containers, in an image made from what is on this machine. */
export async function createDockerStage(
  job: URL,
  manifest: URL,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<Stage> {
  const engine = await connectEngine();
  if (!engine.isLocal) {
    throw new Error(`the demo needs an engine on this machine, and ${engine.description} is not: unset DOCKER_HOST`);
  }
  watcher.begin("making an image of Node and the ticker");
  const image = await jobImage(engine, job);
  const jobManifest = parseManifest(JSON.parse(await readFile(manifest, "utf8")));
  const running = new Set<LaunchedContainer>();
  // Runs of the demo at the same time must not meet on the engine.
  const run = randomBytes(3).toString("hex");
  let started = 0;

  async function start(env: Record<string, string>): Promise<Instance> {
    const container = await launch(
      engine,
      jobManifest,
      { role: "job", name: `changeover-demo-${run}-${++started}`, image, ...environments(jobManifest, env) },
      { signal },
    );
    running.add(container);
    void container.gone.then(() => running.delete(container));
    return {
      gone: container.gone,
      remove: () => container.remove(),
      kill: async () => {
        await container.kill("SIGKILL");
        await container.gone;
      },
    };
  }

  return {
    runtime: "docker",
    description: `containers on ${engine.description}`,
    listenHost: await hostForContainers(engine),
    reachHost: "host.docker.internal",
    start,
    close: async () => {
      const left = [...running];
      const removals = await Promise.allSettled(left.map((container) => container.remove()));
      const failures = removals.flatMap((removal) => (removal.status === "rejected" ? [removal.reason] : []));
      if (failures.length === 0) return;
      const names = left.map(({ name }) => name).join(" ");
      throw new AggregateError(failures, `containers may be left over; remove them with: docker rm -f ${names}`);
    },
  };
}

async function jobImage(engine: Engine, job: URL): Promise<string> {
  const from = await importNodeImage(engine);
  const code = await readFile(job);
  const digest = createHash("sha256").update(from).update(code).digest("hex").slice(0, 12);
  return buildImage(engine, {
    from,
    tag: `changeover/demo-ticker:${digest}`,
    files: { "/app/ticker.mjs": code },
    command: ["node", "/app/ticker.mjs"],
  });
}

/** The job's parameters apart from the variables of the job socket. */
function environments({ parameters }: Manifest, env: Record<string, string>) {
  const entries = Object.entries(env);
  return {
    env: Object.fromEntries(entries.filter(([name]) => name in parameters)),
    infrastructureEnv: Object.fromEntries(entries.filter(([name]) => name.startsWith(RESERVED_PREFIX))),
  };
}
