import type { AcceleratorPolicy } from "./accelerator.js";

/** A value that a product takes through its environment. */
export interface Parameter {
  /** Used when nobody gives a value. A secret has none. */
  readonly default?: string;
  /** Whether a value must be given. */
  readonly required: boolean;
  /** Whether the value is kept out of every log, error, event and listing. */
  readonly secret: boolean;
  readonly description?: string;
}

/** How to ask a product over HTTP, on its port `control`, whether it is ready. Ready is any 2xx answer. */
export interface Health {
  /** Path of the request, starting with `/`. */
  readonly path: string;
  /** Longest pause between two requests, in milliseconds. Default 100. */
  readonly intervalMs: number;
  /** How long a product may take from its start until it is ready, in milliseconds. Default 60,000. */
  readonly startupTimeoutMs: number;
}

/** What a product tells about itself, complete: what the author left out has its default. */
export interface Manifest {
  readonly schemaVersion: 1;
  /** Names the product. It can be part of a container's name. */
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
  readonly description?: string;
  /** Default: fixed, none. */
  readonly accelerator: AcceleratorPolicy;
  /** By the name of the environment variable. Default: none. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** TCP ports that the product listens on, by name. Default: `control` on 4321. */
  readonly ports: Readonly<Record<string, number>>;
  /** Absent when the product cannot be asked. */
  readonly health?: Health;
  /** Whether its jobs can hand over to a fresh instance. Default: they cannot. */
  readonly handover: { readonly supported: boolean };
}
