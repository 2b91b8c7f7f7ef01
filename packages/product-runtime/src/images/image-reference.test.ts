import { expect, it } from "vitest";
import { isImageId, parseImageReference } from "./image-reference.js";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

it.each([
  ["alpine", "docker.io", "alpine", "latest"],
  ["alpine:3.20", "docker.io", "alpine", "3.20"],
  ["changeover/encoder", "docker.io", "changeover/encoder", "latest"],
  // A host alone reads as a name and a tag, to engines too.
  ["localhost:5000", "docker.io", "localhost", "5000"],
  ["localhost/x", "localhost", "localhost/x", "latest"],
  ["localhost:5000/x", "localhost:5000", "localhost:5000/x", "latest"],
  ["localhost:5000/x:2", "localhost:5000", "localhost:5000/x", "2"],
  ["127.0.0.1:5000/team/x_y:a.b-C", "127.0.0.1:5000", "127.0.0.1:5000/team/x_y", "a.b-C"],
  ["[::1]:5000/x", "[::1]:5000", "[::1]:5000/x", "latest"],
  ["reg.example/a/b/c", "reg.example", "reg.example/a/b/c", "latest"],
  [`alpine@${digest}`, "docker.io", "alpine", digest],
  [`localhost:5000/x@${digest}`, "localhost:5000", "localhost:5000/x", digest],
  [`localhost:5000/x:2@${digest}`, "localhost:5000", "localhost:5000/x", digest],
])("takes %s apart", (image, registry, name, version) => {
  const hasDigest = version === digest;
  expect(parseImageReference(image)).toEqual({ name, registry, version, hasDigest });
});

it.each([
  ["reg.example/Encoder:1", 'its repository "Encoder" must be in lower case'],
  ["reg.example//x", 'its repository "/x" must be lower-case letters'],
  ["-x", 'its repository "-x" must be'],
  ["x:", 'its tag "" must be'],
  ["x:-1", 'its tag "-1" must be'],
  ["x@sha256:12", 'its digest "sha256:12" must be'],
  ["x@", 'its digest "" must be'],
])("says what is wrong with %s", (image, problem) => {
  expect(() => parseImageReference(image)).toThrow(`the image ${JSON.stringify(image)} cannot be pulled: ${problem}`);
});

it("knows the id of an image from its name", () => {
  expect(isImageId(digest)).toBe(true);
  expect(isImageId(`x@${digest}`)).toBe(false);
  expect(isImageId("sha256:12")).toBe(false);
});
