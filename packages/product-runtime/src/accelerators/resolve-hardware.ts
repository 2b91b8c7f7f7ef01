import { resolveAccelerator, type AcceleratorPolicy } from "@changeover/manifest";
import type { Engine } from "../engine.js";
import { discoverQuadraCards } from "./discover-quadra-cards.js";
import type { AcceleratorChoice, AcceleratorHardware } from "./hardware.js";

/** The hardware for a product: what its manifest allows, what was chosen, and what the host has. */
export async function resolveHardware(
  engine: Engine,
  policy: AcceleratorPolicy,
  choice?: AcceleratorChoice,
): Promise<AcceleratorHardware> {
  switch (resolveAccelerator(policy, choice?.kind)) {
    case "none":
      return { kind: "none" };
    case "nvidia": {
      const { devices = "all", cdi = false } = choice?.kind === "nvidia" ? choice : {};
      return { kind: "nvidia", devices, cdi };
    }
    case "quadra": {
      const { cards, shared = false } = choice?.kind === "quadra" ? choice : {};
      return { kind: "quadra", cards: cards ?? (await discoverQuadraCards(engine)), shared };
    }
  }
}
