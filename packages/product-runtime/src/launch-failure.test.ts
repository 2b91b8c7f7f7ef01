import { expect, it } from "vitest";
import { createFailure, startFailure } from "./launch-failure.js";

const choices = { role: "job", name: "j-1", image: "example/job:1", network: "nonet" } as const;
const subject = 'the job container "j-1" (image "example/job:1")';
const answer = (statusCode: number, message: string): Error =>
  Object.assign(new Error("engine"), { statusCode, json: { message } });
const asIs = (text: string): string => text;

it("says what to do when there is nothing to run", () => {
  expect(createFailure(choices, answer(400, "No command specified"), asIs)).toMatchObject({
    code: "engine-failed",
    message:
      `${subject} cannot be created: No command specified\n` +
      "Give a command, or an image that has one of its own (CMD or ENTRYPOINT).",
  });
});

it("says what to do about a network that does not exist, whenever the engine notices", () => {
  const advice = 'Create it (docker network create nonet), or choose another "network".';
  expect(createFailure(choices, answer(404, "network nonet not found"), asIs)).toMatchObject({
    code: "start-failed",
    message: `${subject} cannot be created: network nonet not found\n${advice}`,
  });
  expect(startFailure(choices, { kind: "none" }, answer(404, "network nonet not found"), asIs)).toMatchObject({
    code: "start-failed",
    message: `${subject} cannot be started: network nonet not found\n${advice}`,
  });
});

it("leaves other failures as they are", () => {
  expect(createFailure(choices, answer(404, "No such image: example/job:1"), asIs)).toMatchObject({
    code: "image-not-found",
    message: `${subject} cannot be created: No such image: example/job:1`,
  });
  expect(startFailure(choices, { kind: "none" }, answer(500, "network sandbox failed"), asIs)).toMatchObject({
    message: `${subject} cannot be started: network sandbox failed`,
  });
});
