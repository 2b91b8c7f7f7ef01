import { expect, it } from "vitest";
import { Admission } from "./admission.js";

it("admits so many from one address and so many overall, and again when they have left", () => {
  const admission = new Admission({ overall: 3, perAddress: 2 });
  const first = admission.enter("a");
  const second = admission.enter("a");
  expect(admission.enter("a")).toBe("too many from this address");
  const third = admission.enter("b");
  expect(admission.enter("c")).toBe("too many overall");
  for (const leave of [first, first, second, third]) if (typeof leave === "function") leave();
  for (const address of ["a", "a", "c"]) expect(admission.enter(address)).toBeTypeOf("function");
  expect(admission.enter("d")).toBe("too many overall");
});
