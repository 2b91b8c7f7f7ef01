import { assertManifest, resolveParameters, revealParameters, type Manifest } from "@changeover/manifest";
import type { ContainerCreateOptions } from "dockerode";
import type { AcceleratorHardware } from "./accelerators/hardware.js";
import { acceleratorHostConfig } from "./accelerators/host-config.js";
import { validateChoices, type LaunchChoices } from "./launch-choices.js";
import { manifestDigest } from "./manifest-digest.js";
import { ProductRuntimeError } from "./product-runtime-error.js";
import { showValue } from "./show-value.js";

/** Labels of every container that is launched here. */
export const LABELS = {
  /** `product` or `job`. */
  role: "changeover.role",
  /** The name that it was launched with, whatever it is renamed to. */
  name: "changeover.name",
  /** Tells which version of which manifest it was launched from. */
  manifestDigest: "changeover.manifest-digest",
} as const;

/**
 * What the engine is told to create, from plain data and without asking anybody.
 *
 * @throws `ProductRuntimeError` with code `invalid-option`, or `ManifestError` with code `invalid-parameters` or
 * `invalid-manifest`.
 *
 * @example
 * ```ts
 * import { parseManifest } from "@changeover/manifest";
 * import { createOptions } from "@changeover/product-runtime";
 *
 * const manifest = parseManifest({ schemaVersion: 1, name: "encoder" });
 * const choices = { role: "product", name: "encoder-1", image: "example/encoder:1" } as const;
 * console.log(createOptions(manifest, choices, { kind: "none" }));
 * ```
 */
export function createOptions(
  manifest: Manifest,
  choices: LaunchChoices,
  hardware: AcceleratorHardware,
): ContainerCreateOptions {
  assertManifest(manifest);
  validateChoices(choices);
  if (typeof hardware?.kind !== "string") {
    const message = `hardware must be an object such as {kind: "none"}, is ${showValue(hardware)}`;
    throw new ProductRuntimeError("invalid-option", message);
  }
  const { role, name, image, command, labels, memoryBytes, network, init = true } = choices;
  const { publishedHost = "127.0.0.1" } = choices;
  const ports = Object.values(manifest.ports).map(portKey);
  const { cpus, memory = null, shm } = manifest.resources;
  const memoryLimit = memoryBytes ?? memory;
  return {
    name,
    Image: image,
    ...(command === undefined ? {} : { Cmd: [...command] }),
    Env: Object.entries(environment(manifest, choices)).map(([variable, value]) => `${variable}=${value}`),
    Labels: {
      ...labels,
      [LABELS.role]: role,
      [LABELS.name]: name,
      [LABELS.manifestDigest]: manifestDigest(manifest),
    },
    // Without this the bindings below publish nothing, and the engine says nothing.
    ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
    HostConfig: {
      ...acceleratorHostConfig(hardware),
      AutoRemove: true,
      Init: init,
      // An empty port lets the engine pick one.
      PortBindings: Object.fromEntries(ports.map((port) => [port, [{ HostIp: publishedHost, HostPort: "" }]])),
      ExtraHosts: ["host.docker.internal:host-gateway"],
      ...(network === undefined ? {} : { NetworkMode: network }),
      ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
      ...(memoryLimit === null ? {} : { Memory: memoryLimit, MemorySwap: memoryLimit }),
      ...(shm === undefined ? {} : { ShmSize: shm }),
    },
  };
}

/** The whole environment that a container is given. */
export function environment(manifest: Manifest, choices: LaunchChoices): Record<string, string> {
  const { env = {}, templateEnv = {}, infrastructureEnv = {} } = choices;
  const parameters = resolveParameters(manifest, { template: templateEnv, instance: env });
  return { ...revealParameters(parameters), ...infrastructureEnv };
}

/** A port as the engine's API writes it. */
export function portKey(port: number): string {
  return `${port}/tcp`;
}
