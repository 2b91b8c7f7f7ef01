/** A NETINT Quadra card as a host shows it: an NVMe controller and its first namespace. */
export interface QuadraCard {
  /** Device node of the controller on the engine's host, such as `/dev/nvme0`. */
  readonly controller: string;
  /** Device node of the namespace, such as `/dev/nvme0n1`. */
  readonly namespace: string;
  /** Numeric ids of the groups that own the nodes. By number, because an image may lack the group's name. */
  readonly gids: readonly number[];
}

/** What whoever places a product chooses: the kind, and which devices of it. */
export type AcceleratorChoice =
  | { readonly kind: "none" }
  | {
      readonly kind: "nvidia";
      /** Indices or UUIDs of the GPUs. Default: all. */
      readonly devices?: readonly string[];
      /** Whether to ask by CDI (Docker 25 or newer) and not through the NVIDIA runtime. Default `false`. */
      readonly cdi?: boolean;
    }
  | {
      readonly kind: "quadra";
      /** Default: every card of the engine's host, which can be looked for only when that is this machine. */
      readonly cards?: readonly QuadraCard[];
      /** Whether other processes use the cards as well; they agree with each other through `/dev/shm`. Default `false`. */
      readonly shared?: boolean;
    };

/** A choice that leaves nothing open. */
export type AcceleratorHardware =
  | { readonly kind: "none" }
  | { readonly kind: "nvidia"; readonly devices: "all" | readonly string[]; readonly cdi: boolean }
  | { readonly kind: "quadra"; readonly cards: readonly QuadraCard[]; readonly shared: boolean };
