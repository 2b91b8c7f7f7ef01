import { expect, test } from "vitest";
import { readJobEnvironment } from "./job-environment.js";
import { redactor } from "./redactor.js";

function redact(url: string, text: string): string {
  const environment = readJobEnvironment({ NORSK_WORKER_WS_URL: url, NORSK_WORKER_TOKEN: "s3cret" });
  if (!environment) throw new Error("no environment");
  return redactor(environment)(text);
}

test.each(["ws://127.0.0.1:9", "ws://127.0.0.1:9/", "WS://127.0.0.1:9"])(
  "a URL that hides nothing stays as it is, given as %s",
  (url) => {
    expect(redact(url, "connecting to ws://127.0.0.1:9/")).toBe("connecting to ws://127.0.0.1:9/");
    expect(redact(url, "ws://127.0.0.1:9/jobs is another one")).toBe("ws://127.0.0.1:9/jobs is another one");
  },
);

test.each(["ws://me:pa55@worker.test", "ws://worker.test?key=pä55", "ws://worker.test/#pa 55"])(
  "a URL that hides something is shown without it, as it was given (%s) and as sockets write it",
  (url) => {
    expect(redact(url, `cannot reach ${url}: no`)).toBe("cannot reach ws://worker.test/: no");
    expect(redact(url, `cannot reach ${new URL(url).href}: no`)).toBe("cannot reach ws://worker.test/: no");
    expect(redact(url, "connecting to ws://worker.test/")).toBe("connecting to ws://worker.test/");
  },
);

test("the token is taken out, also where it is in the URL", () => {
  expect(redact("ws://worker.test/?t=s3cret", "ws://worker.test/?t=s3cret took s3cret")).toBe(
    "ws://worker.test/ took [token]",
  );
});
