import { expect, test } from "vitest";
import { readJobEnvironment } from "./job-environment.js";

const NORSK_WORKER_WS_URL = "wss://me:pa55@worker.test:4000/jobs?key=1#x";
const NORSK_WORKER_TOKEN = "s3cret";

function failure(env: Record<string, string>): unknown {
  try {
    readJobEnvironment(env);
  } catch (error) {
    return error;
  }
  throw new Error("the environment was taken");
}

test("an environment without a worker's URL is none", () => {
  expect(readJobEnvironment({})).toBeUndefined();
  expect(readJobEnvironment({ NORSK_WORKER_WS_URL: "", NORSK_WORKER_TOKEN })).toBeUndefined();
});

test("the URL that may be shown has neither user info nor query nor fragment", () => {
  expect(readJobEnvironment({ NORSK_WORKER_WS_URL, NORSK_WORKER_TOKEN })).toMatchObject({
    url: NORSK_WORKER_WS_URL,
    shownUrl: "wss://worker.test:4000/jobs",
  });
});

test.each([{}, { NORSK_WORKER_TOKEN: "" }])(
  "a URL without a token is an error that names the token's variable",
  (env) => {
    expect(failure({ NORSK_WORKER_WS_URL, ...env })).toMatchObject({
      name: "MigrationClientError",
      code: "invalid-environment",
      message: expect.stringMatching(/NORSK_WORKER_TOKEN/),
    });
  },
);

test.each(["http://me:pa55@worker.test/", "worker.test:4000", "pa55"])(
  "the URL %s is an error that names the variable and shows neither value",
  (url) => {
    const error = failure({ NORSK_WORKER_WS_URL: url, NORSK_WORKER_TOKEN });
    expect(error).toMatchObject({
      code: "invalid-environment",
      message: expect.stringMatching(/^NORSK_WORKER_WS_URL must be a ws/),
    });
    expect(String(error)).not.toMatch(/pa55|s3cret/);
  },
);

test("what is a URL of another kind is told by its scheme", () => {
  expect(failure({ NORSK_WORKER_WS_URL: "http://worker.test/", NORSK_WORKER_TOKEN })).toMatchObject({
    message: "NORSK_WORKER_WS_URL must be a ws:// or wss:// URL; its protocol is http:",
  });
});

test("the role is source unless it is said to be target, and only a target has a migration", () => {
  const env = { NORSK_WORKER_WS_URL, NORSK_WORKER_TOKEN, NORSK_MIGRATION_ID: "m-1" };
  expect(readJobEnvironment(env)).toMatchObject({ role: "source", migrationId: undefined });
  expect(readJobEnvironment({ ...env, NORSK_RUNTIME_ROLE: "standby" })).toMatchObject({ role: "source" });
  expect(readJobEnvironment({ ...env, NORSK_RUNTIME_ROLE: "target" })).toMatchObject({
    role: "target",
    migrationId: "m-1",
  });
});
