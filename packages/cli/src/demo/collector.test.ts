import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Collector } from "./collector.js";

async function open(collector: Collector): Promise<{ socket: Socket; greeting: string }> {
  const socket = connect(collector.port, "127.0.0.1");
  const [greeting] = await once(socket, "data");
  return { socket, greeting: String(greeting) };
}

async function startCollector(): Promise<Collector> {
  const collector = await Collector.listen("127.0.0.1");
  onTestFinished(() => collector.close());
  return collector;
}

/** Lines of ticks 0 to `count`, each hash over all before it. */
function ticks(count: number): string[] {
  let hash = "";
  return Array.from({ length: count }, (_, n) => {
    hash = createHash("sha256").update(`${hash}${n}`).digest("hex");
    return `${n} ${hash}\n`;
  });
}

async function receive(lines: string[]): Promise<Collector> {
  const collector = await startCollector();
  const { socket } = await open(collector);
  const arrived = collector.arrivals(lines.length);
  socket.end(lines.join(""));
  await arrived;
  return collector;
}

describe("the collector", () => {
  const [t0 = "", t1 = "", t2 = "", t3 = ""] = ticks(4);

  it("finds nothing wrong with a whole chain, also over several connections", async () => {
    const collector = await receive([t0, t1]);
    const { socket, greeting } = await open(collector);
    expect(greeting).toBe("2\n");
    const arrived = collector.arrivals(2);
    socket.end(t2 + t3);
    await arrived;
    expect(collector.tally()).toEqual({ received: 4, lost: 0, doubled: 0, broken: 0 });
  });

  it.each([
    ["a number that is missing", [t0, t2, t3], { lost: 1 }],
    ["a number that comes twice", [t0, t1, t1, t2], { doubled: 1 }],
    ["a number that comes late", [t0, t2, t1], { lost: 1, doubled: 1 }],
    ["a hash that does not follow", [t0, `1 ${"0".repeat(64)}\n`], { broken: 1 }],
  ])("notices %s", async (_name, lines, wrong) => {
    const collector = await receive(lines);
    expect(collector.tally()).toEqual({ received: lines.length, lost: 0, doubled: 0, broken: 0, ...wrong });
  });

  it("greets a connection that is held only when it is released", async () => {
    const collector = await startCollector();
    const held = collector.holdNextConnection();
    const greeted = open(collector);
    await held;
    const early = await Promise.race([greeted, new Promise((resolve) => setImmediate(resolve, "not yet"))]);
    expect(early).toBe("not yet");
    collector.release();
    expect((await greeted).greeting).toBe("0\n");
  });

  it("ends a connection that is held only when it is released", async () => {
    const collector = await startCollector();
    const { socket } = await open(collector);
    const held = collector.holdNextEnd();
    const ended = once(socket.end(t0), "close");
    await held;
    const early = await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, "not yet"))]);
    expect(early).toBe("not yet");
    expect(collector.tally().received).toBe(1);
    collector.release();
    await ended;
  });

  it("outlives a connection that is reset, as that of a job that is killed", async () => {
    const collector = await startCollector();
    const { socket } = await open(collector);
    socket.write(t0);
    await collector.arrivals(1);
    socket.resetAndDestroy();
    expect((await open(collector)).greeting).toBe("1\n");
  });
});
