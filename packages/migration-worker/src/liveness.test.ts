import { ManualClock } from "@changeover/testing";
import { describe, expect, it } from "vitest";
import { Liveness } from "./liveness.js";

function start(random = 0): { clock: ManualClock; liveness: Liveness; happened: string[] } {
  const clock = new ManualClock();
  const happened: string[] = [];
  const liveness = new Liveness({
    clock,
    random: () => random,
    intervalMs: 1_000,
    ping: () => happened.push(`ping at ${clock.now()}`),
    onDead: (silentMs) => happened.push(`dead after ${silentMs}`),
  });
  return { clock, liveness, happened };
}

describe("liveness", () => {
  it("asks after an interval of silence, and gives the peer up after two", async () => {
    const { clock, happened } = start();
    await clock.advance(1_999);
    expect(happened).toEqual(["ping at 1000"]);
    await clock.advance(1);
    expect(happened).toEqual(["ping at 1000", "dead after 2000"]);
    expect(clock.pending).toBe(0);
  });

  it("asks nothing of a peer that is heard", async () => {
    const { clock, liveness, happened } = start();
    for (let i = 0; i < 20; i++) {
      await clock.advance(900);
      liveness.heard();
    }
    expect(happened).toEqual([]);
  });

  it("goes on with a peer that answers", async () => {
    const { clock, liveness, happened } = start();
    await clock.advance(1_000);
    liveness.heard();
    await clock.advance(1_999);
    expect(happened).toEqual(["ping at 1000", "ping at 2000"]);
  });

  it("asks up to a quarter early, so that those who connected together are not asked together", async () => {
    const { clock, happened } = start(0.999);
    await clock.advance(760);
    expect(happened.length).toBe(1);
  });

  it("reads what has arrived before it gives a peer up", async () => {
    const { clock, liveness, happened } = start();
    await clock.advance(1_000);
    const stop = clock.setTimer(() => liveness.heard(), 1_000);
    await clock.advance(1_000);
    stop();
    expect(happened).toEqual(["ping at 1000"]);
  });

  it("leaves no timer when it is stopped", async () => {
    const { clock, liveness } = start();
    liveness.stop();
    expect(clock.pending).toBe(0);
  });
});
