import { parseManifest } from "@changeover/manifest";
import { expect, it } from "vitest";
import { redactorFor } from "./redact.js";

const manifest = parseManifest({
  schemaVersion: 1,
  name: "encoder",
  parameters: { STREAM_KEY: { secret: true }, BITRATE: {}, PEM: { secret: true } },
});

it("takes out the values of secret parameters and of secret infrastructure, and nothing else", () => {
  const redact = redactorFor(manifest, {
    STREAM_KEY: "hunter2",
    BITRATE: "6000k",
    NORSK_WORKER_TOKEN: "t0k.n",
    NORSK_RUNTIME_ROLE: "source",
  });
  expect(redact("hunter2 at 6000k, hunter2, token t0k.n, t0kxn, source")).toBe(
    "*** at 6000k, ***, token ***, t0kxn, source",
  );
});

it("takes out a secret that contains another, and every line of one that has several", () => {
  const redact = redactorFor(manifest, { STREAM_KEY: "abc", PEM: "abcdef\r\nghi\n" });
  expect(redact("abcdef / ghi / abc")).toBe("*** / *** / ***");
});

it("leaves a text alone when a secret is empty", () => {
  expect(redactorFor(manifest, { STREAM_KEY: "" })("abc")).toBe("abc");
});

it("takes out what was given as a secret, whatever the manifest says of it", () => {
  const redact = redactorFor(manifest, { TITLE: "hunter2" }, new Set(["TITLE"]));
  expect(redact("the title is hunter2")).toBe("the title is ***");
});
