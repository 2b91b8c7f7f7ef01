import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../engine.js";
import { ProductRuntimeError } from "../product-runtime-error.js";
import type { QuadraCard } from "./hardware.js";

const VENDOR = "0x1d82";
const MODEL = /^Quadra/;

/** Where a host shows its devices. */
export interface DeviceRoots {
  /** Default `/sys`. */
  readonly sysfsRoot?: string;
  /** Default `/dev`. */
  readonly devRoot?: string;
}

/**
 * The Quadra cards of this machine, by vendor and model: an NVMe device that was not checked is somebody's disk.
 *
 * @throws `ProductRuntimeError` with code `accelerator-unavailable` when the engine runs on another machine, when there
 * is no card, or when a card's device nodes are missing.
 *
 * @example
 * ```ts
 * import { connectEngine, discoverQuadraCards } from "@changeover/product-runtime";
 *
 * const cards = await discoverQuadraCards(await connectEngine());
 * console.log(cards.map(({ controller }) => controller));
 * ```
 */
export async function discoverQuadraCards(engine: Engine, roots: DeviceRoots = {}): Promise<QuadraCard[]> {
  const { sysfsRoot = "/sys", devRoot = "/dev" } = roots;
  if (!engine.isLocal) {
    throw unavailable(
      `Quadra cards can be looked for on this machine only, and the engine runs elsewhere (${engine.description}). ` +
        'Name them: accelerator {kind: "quadra", cards: [{controller: "/dev/nvme0", namespace: "/dev/nvme0n1", ' +
        "gids: [<group of the nodes>]}]}",
    );
  }
  const classDir = join(sysfsRoot, "class/nvme");
  const devices = await Promise.all((await controllersIn(classDir)).map((name) => identify(classDir, name)));
  const cards = devices.filter(({ vendor, model }) => vendor === VENDOR && MODEL.test(model));
  if (cards.length === 0) {
    const others = devices.map(({ name, vendor, model }) => `${name}: vendor ${vendor}, model ${model}`).join("; ");
    throw unavailable(
      `no Quadra card in ${classDir} (vendor ${VENDOR}, model Quadra…); ` +
        `${others === "" ? "there is no NVMe device at all" : `there is ${others}`}. Check that the card is seated and on`,
    );
  }
  return Promise.all(cards.map(({ name }) => cardOf(join(devRoot, name))));
}

async function controllersIn(classDir: string): Promise<string[]> {
  const entries = await readdir(classDir).catch(() => []);
  const numberOf = (name: string): number => Number(name.slice("nvme".length));
  return entries.filter((name) => /^nvme\d+$/.test(name)).toSorted((a, b) => numberOf(a) - numberOf(b));
}

async function identify(classDir: string, name: string): Promise<{ name: string; vendor: string; model: string }> {
  const read = async (file: string): Promise<string> => {
    const content = await readFile(join(classDir, name, file), "utf8").catch(() => "unknown");
    return content.trim();
  };
  const [vendor, model] = await Promise.all([read("device/vendor"), read("model")]);
  return { name, vendor, model };
}

async function cardOf(controller: string): Promise<QuadraCard> {
  const namespace = `${controller}n1`;
  const gids = await Promise.all([controller, namespace].map(groupOf));
  return { controller, namespace, gids: [...new Set(gids)] };
}

async function groupOf(node: string): Promise<number> {
  try {
    return (await stat(node)).gid;
  } catch (cause) {
    throw unavailable(`the device node ${node} of a Quadra card is missing; reload the nvme driver or reboot`, cause);
  }
}

function unavailable(message: string, cause?: unknown): ProductRuntimeError {
  return new ProductRuntimeError("accelerator-unavailable", message, { cause });
}
