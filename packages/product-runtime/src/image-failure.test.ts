import { expect, it } from "vitest";
import { pullFailure } from "./image-failure.js";

const pull = {
  image: "reg.example/encoder:1",
  name: "reg.example/encoder",
  registry: "reg.example",
  credentials: "There are no credentials for it",
};

it.each([
  [
    "image-not-found",
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to " +
      "the resource is denied",
  ],
  ["image-not-found", "manifest for alpine:nope not found: manifest unknown: manifest unknown"],
  [
    "image-not-found",
    "initializing source docker://reg.example/x:2: reading manifest 2 in reg.example/x: Name Unknown",
  ],
  ["image-unauthorised", "Head https://reg.example/v2/a/manifests/1: no basic auth credentials"],
  ["image-unauthorised", "unauthorized: authentication required"],
  ["image-unauthorised", "Unauthorized: Incorrect Username or Password"],
  ["image-unauthorised", 'error parsing HTTP 403 response body: unexpected end of JSON input: ""'],
  ["image-registry-unreachable", 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1: no such host'],
  ["image-registry-unreachable", "Get https://reg.example/v2/: net/http: TLS handshake timeout"],
  ["image-registry-unreachable", "Get https://reg.example/v2/: EOF"],
  ["image-registry-unreachable", "Head https://reg.example/v2/: dial unix /run/proxy: connect: permission denied"],
  ["image-registry-unreachable", "Get https://reg.example/v2/: http: server gave HTTP response to HTTPS client"],
  ["image-registry-unreachable", "Get https://reg.example/v2/: x509: certificate signed by unknown authority"],
  ["image-registry-unreachable", "received unexpected HTTP status: 503 Service Unavailable"],
  ["image-rate-limited", "toomanyrequests: You have reached your pull rate limit"],
  ["image-rate-limited", "error parsing HTTP 429 response body: invalid character 'T': \"Too Many Requests\""],
  ["image-rate-limited", "denied: You have reached your unauthenticated pull Rate Limit"],
  [
    "image-disk-failed",
    "failed to register layer: ApplyLayer exit status 1 stdout:  stderr: write /b: no space left on device",
  ],
  [
    "image-disk-failed",
    'writing blob: adding layer with blob "sha256:b5": ApplyLayer stdout:  stderr: write /b: no space left on device',
  ],
  ["image-disk-failed", "write /var/lib/docker/tmp/GetImageBlob1: No Space Left on device"],
  ["image-disk-failed", "failed to register layer: mkdir /x: read-only file system"],
  ["image-incomplete", "unknown blob"],
  [
    "image-incomplete",
    "reading blob sha256:b5: Error fetching blob: invalid status code from registry 404 (Not Found)",
  ],
  ["image-incomplete", "filesystem layer verification failed for digest sha256:b5"],
  ["image-pull-failed", "no matching manifest for linux/arm64/v8 in the manifest list entries"],
])("is %s for: %s", (code, text) => {
  const error = pullFailure({ ...pull, text });
  expect(error.code).toBe(code);
  expect(error.message).toContain(`the image "reg.example/encoder:1" cannot be pulled: ${text}\n`);
});

it("reads no failure out of the image's name", () => {
  const named = { ...pull, image: "x/denied/toomanyrequests:no-such-host", name: "x/denied/toomanyrequests" };
  const text = "manifest for x/denied/toomanyrequests:no-such-host not found: manifest unknown";
  expect(pullFailure({ ...named, text }).code).toBe("image-not-found");
  expect(pullFailure({ ...named, text: "x/denied/toomanyrequests: odd" }).code).toBe("image-pull-failed");
  const url = 'Head "https://reg.example/v2/x/manifests/429": no basic auth credentials';
  expect(pullFailure({ ...named, text: url }).code).toBe("image-unauthorised");
});

it("says which credentials there were, where they matter", () => {
  expect(pullFailure({ ...pull, text: "unauthorized" }).message).toContain(
    "There are no credentials for it. Log in (docker login reg.example).",
  );
  expect(pullFailure({ ...pull, text: "unknown blob" }).message).not.toContain("credentials");
});
