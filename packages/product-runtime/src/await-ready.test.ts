import { ManualClock } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { awaitReady } from "./await-ready.js";
import { probePauseMs, type ProbeResult } from "./probe.js";

const down: ProbeResult = { isReady: false, answer: "HTTP 503" };

function readiness(clock: ManualClock, probe: () => Promise<ProbeResult>) {
  return { what: "waiting", probe, intervalMs: 100, timeoutMs: 5_000, timeoutName: "health.startupTimeoutMs", clock };
}

describe("awaitReady", () => {
  it.each([4, 40, 400, 4_000])(
    "notices a service that answers after %i ms at most an eighth later",
    async (afterMs) => {
      const clock = new ManualClock();
      const probe = async (): Promise<ProbeResult> => (clock.now() >= afterMs ? { isReady: true } : down);
      const readyAt = awaitReady(readiness(clock, probe)).then(() => clock.now());
      for (let i = 0; i < 4 * (afterMs + 100); i++) await clock.advance(0.25);
      expect((await readyAt) - afterMs).toBeLessThanOrEqual(Math.max(1, Math.min(100, afterMs / 8)));
    },
  );

  it("asks no more often than makes sense", async () => {
    const clock = new ManualClock();
    let probes = 0;
    const failure = awaitReady(
      readiness(clock, async () => {
        probes += 1;
        return down;
      }),
    ).catch((error: unknown) => error);
    await clock.advance(0);
    await clock.advance(5_000);
    expect(await failure).toMatchObject({
      code: "not-ready",
      message: "waiting took longer than 5000 ms (health.startupTimeoutMs): HTTP 503",
    });
    expect(probes).toBeLessThan(100);
    expect(clock.pending).toBe(0);
  });
});

describe("probePauseMs", () => {
  it("grows with the time so far, up to the interval", () => {
    expect([0, 8, 80, 800, 8_000].map((elapsedMs) => probePauseMs(elapsedMs, 100))).toEqual([1, 1, 10, 100, 100]);
    expect(probePauseMs(0, 0.5)).toBe(0.5);
  });
});
