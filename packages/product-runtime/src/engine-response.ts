import { ProductRuntimeError } from "./product-runtime-error.js";

/** HTTP status of an error that the engine answered with, or `undefined` when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  const status = propertyOf(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}

/** The engine's own words in an error of dockerode, which puts its own around them. Never empty. */
export function engineText(error: unknown): string {
  return spokenText(error) || `HTTP ${statusOf(error) ?? "answer"} without a reason`;
}

/** As {@link engineText}, and empty where the answer had no text. */
export function spokenText(error: unknown): string {
  const message = propertyOf(propertyOf(error, "json"), "message");
  if (typeof message === "string") return message.trim();
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\(HTTP code \d+\) .*? - /, "").trim();
}

/** An error of the engine that has no better code, with what was being done when it happened. */
export function engineFailure(what: string, error: unknown): ProductRuntimeError {
  if (ProductRuntimeError.isInstance(error)) return error;
  const isAnswer = statusOf(error) !== undefined;
  const text = isAnswer ? `${what} failed: ${engineText(error)}` : `${what} failed: ${connectionFailure(error)}`;
  return new ProductRuntimeError(isAnswer ? "engine-failed" : "engine-unreachable", text, { cause: error });
}

/** Why a connection to an engine failed, in words. */
export function connectionFailure(error: unknown): string {
  const code = propertyOf(error, "code");
  switch (code) {
    case "ENOENT":
      return "no such file";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "ECONNREFUSED":
      return "connection refused, so nothing listens there";
    case "ECONNRESET":
      return "the connection was closed before an answer";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "no such host";
    case "ETIMEDOUT":
      return "timed out";
    default:
      return engineText(error);
  }
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
