import { describe, expect, it } from "vitest";
import { connectionFailure, engineFailure, engineText, statusOf } from "./engine-response.js";

const failed = (fields: object): Error => Object.assign(new Error("connect"), fields);
const answer = failed({ statusCode: 500, json: { message: "no space left on device\n" } });

it.each([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["ECONNREFUSED", "connection refused, so nothing listens there"],
  ["ENOTFOUND", "no such host"],
  ["EWHATEVER", "connect"],
])("says %s in words", (code, words) => {
  expect(connectionFailure(failed({ code }))).toBe(words);
});

describe("engineText", () => {
  it("is what the engine said, without what dockerode puts around it", () => {
    expect(engineText(answer)).toBe("no space left on device");
    expect(engineText(new Error("(HTTP code 404) no such container - No such container: x - y "))).toBe(
      "No such container: x - y",
    );
    expect(engineText("plain")).toBe("plain");
    expect(engineText(Object.assign(new Error("(HTTP code 502) unexpected -  "), { statusCode: 502 }))).toBe(
      "HTTP 502 without a reason",
    );
  });
});

describe("engineFailure", () => {
  it("tells an engine that fails from one that does not answer", () => {
    expect(engineFailure("creating it", answer)).toMatchObject({
      code: "engine-failed",
      message: "creating it failed: no space left on device",
      cause: answer,
    });
    expect(engineFailure("creating it", failed({ code: "ECONNREFUSED" }))).toMatchObject({
      code: "engine-unreachable",
      message: "creating it failed: connection refused, so nothing listens there",
    });
  });

  it("leaves an error alone that says all already", () => {
    const first = engineFailure("creating it", answer);
    expect(engineFailure("launching it", first)).toBe(first);
    expect(statusOf(first)).toBeUndefined();
  });
});
