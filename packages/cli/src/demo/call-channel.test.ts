import { expect, it } from "vitest";
import { CallChannel } from "./call-channel.js";

/** Two ends of a channel; `carryOut` is what the far one does with what it is asked for. */
function connect(carryOut: (call: string) => unknown): CallChannel<string, never> {
  const near = new CallChannel<string, never>(
    (message) => setImmediate(() => far.receive(structuredClone(message))),
    () => {},
  );
  const far = new CallChannel<never, string>((message) => near.receive(structuredClone(message)), carryOut);
  return near;
}

it("answers each call with its own result, whichever comes first", async () => {
  let finish: (result: string) => void = () => {};
  const slow = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const channel = connect((call) => (call === "slow" ? slow : call.toUpperCase()));
  const calls = Promise.all([channel.call("slow"), channel.call("fast")]);
  expect(await channel.call("other")).toBe("OTHER");
  finish("at last");
  expect(await calls).toEqual(["at last", "FAST"]);
});

it("rejects a call with what went wrong on the other side", async () => {
  const channel = connect(() => {
    throw new Error("no room");
  });
  await expect(channel.call("place")).rejects.toThrow("no room");
});

it("rejects what waits and what comes once it has failed, with the first failure", async () => {
  const channel = connect(() => new Promise(() => {}));
  const waiting = channel.call("place");
  channel.fail(new Error("the process has ended"));
  channel.fail(new Error("closed"));
  await expect(waiting).rejects.toThrow("the process has ended");
  await expect(channel.call("place")).rejects.toThrow("the process has ended");
});
