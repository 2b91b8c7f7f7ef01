import { parseManifest, type Manifest } from "@changeover/manifest";
import { randomBytes } from "node:crypto";
import { afterAll, afterEach } from "vitest";
import { connectEngine, launch, type LaunchChoices, type LaunchedContainer, type LaunchOptions } from "../src/index.js";
import { importNodeImage } from "../src/internal.js";

const TEST_LABEL = "changeover-test";

/** An engine for the tests of one file, with an image that runs Node. What the tests leave there is removed. */
export async function engineFixture() {
  const engine = await connectEngine();
  const image = await importNodeImage(engine);
  const run = randomBytes(4).toString("hex");
  const filters = { label: [`${TEST_LABEL}=${run}`] };
  let count = 0;

  const leftovers = () => engine.docker.listContainers({ all: true, filters });
  const clean = async (): Promise<void> => {
    const containers = await leftovers();
    await Promise.all(
      containers.map(({ Id }) =>
        engine.docker
          .getContainer(Id)
          .remove({ force: true })
          .catch(() => {}),
      ),
    );
  };
  afterEach(clean);
  afterAll(clean);

  /** Choices for a container that runs a script, marked for the clean-up. */
  const choicesFor = (script: string, more: Partial<LaunchChoices> = {}): LaunchChoices => {
    count += 1;
    return {
      role: "product",
      name: `${TEST_LABEL}-${run}-${count}`,
      image,
      command: ["node", "-e", script],
      ...more,
      labels: { [TEST_LABEL]: run, ...more.labels },
    };
  };

  return {
    engine,
    image,
    /** Containers of these tests that the engine still knows. */
    leftovers,
    choicesFor,
    launch: (
      manifest: Manifest,
      script: string,
      more: Partial<LaunchChoices> = {},
      options: LaunchOptions = {},
    ): Promise<LaunchedContainer> => launch(engine, manifest, choicesFor(script, more), options),
  };
}

/** A manifest with these fields, beside the two that every one has. */
export function manifestWith(fields: object = {}): Manifest {
  return parseManifest({ schemaVersion: 1, name: "test-product", ...fields });
}

/** A manifest of a product that can be asked whether it is ready. */
export const healthy = manifestWith({ health: { path: "/healthz" } });

/** A script that answers with this status on the port `control`, and prints first. */
export function serving(status = 200): string {
  return `
    console.log("listening soon");
    require("node:http").createServer((request, response) => {
      if (request.url === "/exit") process.exit(5);
      response.statusCode = request.url === "/healthz" ? ${status} : 404;
      response.end();
    }).listen(4321);`;
}

/** A script that runs and does nothing. */
export const idle = "setInterval(() => {}, 1000)";

/** What a promise was rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}

/**
 * Milliseconds that work takes in the best of a few tries, of which the first counts when it is fast enough: a busy
 * machine makes times longer and never shorter.
 */
export async function bestTimeOf(
  limitMs: number,
  work: () => Promise<unknown>,
  prepareNext: () => Promise<unknown> = async () => {},
): Promise<number> {
  for (let best = Number.POSITIVE_INFINITY, tries = 1; ; tries++) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
    if (best < limitMs || tries === 4) return best;
    await prepareNext();
  }
}
