import type { AcceleratorPolicy } from "./accelerator.js";
import type { Extensions } from "./extensions.js";
import type { Parameter } from "./parameter.js";
import type { Privilege } from "./privileges.js";

/** TCP ports that a product listens on, by name. */
export interface Ports {
  readonly [name: string]: number;
  /** Where the product serves its health and its manifest. Default 4321. */
  readonly control: number;
}

/** How to ask a product over HTTP, on its port `control`, whether it works. It does when it answers with any 2xx. */
export interface Health extends Extensions {
  /** Path of the request, starting with `/`. */
  readonly path: string;
  /** From one request to the next once the product is ready, in milliseconds. Default 10,000. */
  readonly intervalMs: number;
  /** How long a product may take from its start until it is ready, in milliseconds. Default 60,000. */
  readonly startupTimeoutMs: number;
  /** How many requests in a row must fail before a product that was ready no longer works. Default 3. */
  readonly failureThreshold: number;
}

/** What an instance may use at most. What is absent is not limited by the product. */
export interface Resources extends Extensions {
  /** CPU time in CPUs: 1.5 is one and a half. */
  readonly cpus?: number;
  /** Memory, without swap, in bytes. */
  readonly memory?: number;
  /** Size of `/dev/shm`, in bytes. Where it is absent the engine's default holds: 64 MiB with Docker. */
  readonly shm?: number;
}

/** A file that whoever places the product puts into the container, where it can only be read. */
export interface StagedFile extends Extensions {
  /** Where it is in the container. */
  readonly path: string;
  /** Its text when nobody gives another. */
  readonly default?: string;
  /** Whether it must be given; a default is one. */
  readonly required: boolean;
  readonly help?: string;
}

/** A file that nobody but the product may read. It has no default. */
export interface StagedSecret extends Extensions {
  /** Where it is in the container. Default: `/run/secrets/` and its name. */
  readonly path: string;
  /** Whether it must be given. */
  readonly required: boolean;
  readonly help?: string;
}

/** Phases of a handover that have a deadline, as the worker names them. */
export const HANDOVER_PHASES = ["propose", "place", "ready", "stop", "apply", "fencing"] as const;

/** What the product says about handing its jobs over to a fresh instance. */
export interface Handover extends Extensions {
  /** Whether they can. Default: they cannot. */
  readonly supported: boolean;
  /** The largest state that it hands over, in bytes of JSON. */
  readonly stateLimit?: number;
  /** How long a phase may take where the worker's default does not suit the product, in milliseconds. */
  readonly deadlinesMs?: { readonly [phase in (typeof HANDOVER_PHASES)[number]]?: number } & Extensions;
}

/** What a product tells about itself, complete: what the author left out has its default. */
export interface Manifest extends Extensions {
  readonly schemaVersion: 2;
  /** Names the product. It can be part of a container's name. */
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
  readonly description?: string;
  /** Default: fixed, none. */
  readonly accelerator: AcceleratorPolicy & Extensions;
  /** What the product can do, by which a placement finds it. Default: nothing that anybody looks for. */
  readonly capabilities: readonly string[];
  /** By the name of the environment variable. Default: none. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Default: `control` on 4321. */
  readonly ports: Ports;
  /** Absent when the product cannot be asked. */
  readonly health?: Health;
  readonly resources: Resources;
  /** What a hardened container must leave to the product. Default: nothing. */
  readonly privileges: readonly Privilege[];
  /** Files that are staged into the container, by name. Default: none. */
  readonly files: Readonly<Record<string, StagedFile>>;
  /** Secret files, by name. No file and secret share one. Default: none. */
  readonly secrets: Readonly<Record<string, StagedSecret>>;
  readonly handover: Handover;
}
