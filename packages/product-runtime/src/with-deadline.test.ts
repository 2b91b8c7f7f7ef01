import { ManualClock } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { withDeadline } from "./with-deadline.js";

const never = (): Promise<never> => new Promise(() => {});

describe("withDeadline", () => {
  it("gives the result and leaves no timer behind", async () => {
    const clock = new ManualClock();
    await expect(withDeadline({ what: "work", timeoutMs: 10, clock }, async () => 5)).resolves.toBe(5);
    await expect(
      withDeadline({ what: "work", timeoutMs: 10, clock }, () => Promise.reject(new Error("broken"))),
    ).rejects.toThrow("broken");
    expect(clock.pending).toBe(0);
  });

  it("says what took too long, and tells the work", async () => {
    const clock = new ManualClock();
    let heard: AbortSignal | undefined;
    const failure = withDeadline({ what: "pulling", timeoutMs: 10, clock }, (signal) => {
      heard = signal;
      return never();
    }).catch((error: unknown) => error);
    await clock.advance(10);
    expect(await failure).toMatchObject({ code: "engine-timeout", message: "pulling took longer than 10 ms" });
    expect(heard?.aborted).toBe(true);
  });

  it("ends with the caller's signal and keeps its reason", async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const deadline = { what: "pulling", timeoutMs: 10, clock, signal: controller.signal };
    const result = withDeadline(deadline, never);
    controller.abort("no longer needed");
    const aborted = { code: "aborted", message: "pulling was aborted", cause: "no longer needed" };
    await expect(result).rejects.toMatchObject(aborted);
    await expect(withDeadline(deadline, never)).rejects.toMatchObject(aborted);
    expect(clock.pending).toBe(0);
  });
});
