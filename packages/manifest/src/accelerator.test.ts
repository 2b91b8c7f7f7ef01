import { describe, expect, it } from "vitest";
import { ACCELERATORS, resolveAccelerator } from "./accelerator.js";

describe("resolveAccelerator", () => {
  it.each(ACCELERATORS)("fixed %s allows itself and no choice", (value) => {
    expect(resolveAccelerator({ mode: "fixed", value })).toBe(value);
    expect(resolveAccelerator({ mode: "fixed", value }, value)).toBe(value);
    for (const other of ACCELERATORS.filter((accelerator) => accelerator !== value)) {
      expect(() => resolveAccelerator({ mode: "fixed", value }, other)).toThrow(
        `accelerator: the product runs on ${value} only, and ${other} was chosen; choose ${value}`,
      );
    }
  });

  it.each(ACCELERATORS)("default gives way to the choice of %s", (choice) => {
    expect(resolveAccelerator({ mode: "default", value: "nvidia" }, choice)).toBe(choice);
    expect(resolveAccelerator({ mode: "default", value: choice })).toBe(choice);
  });

  it.each(ACCELERATORS)("required takes the choice of %s", (choice) => {
    expect(resolveAccelerator({ mode: "required" }, choice)).toBe(choice);
  });

  it("required insists on a choice", () => {
    expect(() => resolveAccelerator({ mode: "required" })).toThrow(
      "accelerator: the product needs a choice and none was made; choose one of none, nvidia, quadra",
    );
  });

  it("refuses what is no accelerator, as it may come from a command line", () => {
    const choice: unknown = "amd";
    expect(() => Reflect.apply(resolveAccelerator, undefined, [{ mode: "required" }, choice])).toThrow(
      'accelerator: "amd" is not an accelerator; choose one of none, nvidia, quadra',
    );
  });
});
