import { ManifestError } from "./manifest-error.js";

/** Every accelerator that a manifest can name. `none` is a choice as well: it says that a product runs without. */
export const ACCELERATORS = ["none", "nvidia", "quadra"] as const;

/** Hardware that a product computes on: `nvidia` is a GPU, `quadra` a NETINT Quadra video card. */
export type Accelerator = (typeof ACCELERATORS)[number];

/**
 * What a manifest says about its accelerator: `fixed` allows one value, `default` proposes one, `required` leaves the
 * choice to whoever places the product and insists that it is made.
 */
export type AcceleratorPolicy =
  | { readonly mode: "fixed"; readonly value: Accelerator }
  | { readonly mode: "default"; readonly value: Accelerator }
  | { readonly mode: "required" };

/**
 * The accelerator that a product runs on, from its manifest and the choice of whoever places it.
 *
 * @throws {@link ManifestError} with code `invalid-accelerator-choice` when a fixed accelerator is given another
 * choice, a required one none, or the choice is not an accelerator.
 *
 * @example
 * ```ts
 * import { resolveAccelerator } from "@changeover/manifest";
 *
 * resolveAccelerator({ mode: "default", value: "nvidia" }); // "nvidia"
 * resolveAccelerator({ mode: "default", value: "nvidia" }, "none"); // "none"
 * ```
 */
export function resolveAccelerator(policy: AcceleratorPolicy, choice?: Accelerator): Accelerator {
  if (choice !== undefined && !ACCELERATORS.includes(choice)) {
    throw refusal(`${JSON.stringify(choice)} is not an accelerator; choose ${CHOICES}`);
  }
  switch (policy?.mode) {
    case "fixed":
      if (choice !== undefined && choice !== policy.value) {
        throw refusal(`the product runs on ${policy.value} only, and ${choice} was chosen; choose ${policy.value}`);
      }
      return policy.value;
    case "default":
      return choice ?? policy.value;
    case "required":
      if (choice === undefined) throw refusal(`the product needs a choice and none was made; choose ${CHOICES}`);
      return choice;
    default:
      throw refusal("pass the accelerator of what parseManifest returns");
  }
}

const CHOICES = `one of ${ACCELERATORS.join(", ")}`;

function refusal(message: string): ManifestError {
  return new ManifestError("invalid-accelerator-choice", "accelerator", [{ path: "", message }]);
}
