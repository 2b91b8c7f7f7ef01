/** Keys that start with `x-`: whoever writes or reads a manifest may put there what it says nothing about itself. */
export interface Extensions {
  readonly [key: `x-${string}`]: unknown;
}

/** Whether a key belongs to somebody else, whatever stands there. */
export function isExtensionKey(key: string): key is `x-${string}` {
  return key.startsWith("x-");
}
