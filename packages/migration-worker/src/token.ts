import { createHash, randomBytes } from "node:crypto";

/** A new secret of 256 random bits. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What the worker keeps of a token: looking it up by its hash takes a time that says nothing about the secret. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
