import { expect, it } from "vitest";
import { pullFailure } from "./image-failure.js";

it.each([
  [
    "image-not-found",
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to " +
      "the resource is denied",
  ],
  ["image-not-found", "manifest for alpine:nope not found: manifest unknown: manifest unknown"],
  ["image-unauthorised", "Head https://reg.example/v2/a/manifests/1: no basic auth credentials"],
  ["image-unauthorised", "unauthorized: authentication required"],
  ["image-registry-unreachable", 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1: no such host'],
  ["image-registry-unreachable", "Get https://reg.example/v2/: net/http: TLS handshake timeout"],
  ["image-pull-failed", "toomanyrequests: You have reached your pull rate limit"],
  ["image-pull-failed", "no matching manifest for linux/arm64/v8 in the manifest list entries"],
])("is %s for: %s", (code, text) => {
  const error = pullFailure("reg.example/encoder:1", text);
  expect(error.code).toBe(code);
  expect(error.message).toContain(
    `the image "reg.example/encoder:1" is not on the engine and cannot be pulled: ${text}`,
  );
});
