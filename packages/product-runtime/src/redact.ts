import type { Manifest } from "@changeover/manifest";

/** Takes the values of secrets out of a text. */
export type Redact = (text: string) => string;

const SECRET_INFRASTRUCTURE = /_(TOKEN|SECRET|PASSWORD|KEY)$/;

/**
 * Replaces the values of secret parameters, and of infrastructure variables whose name says that they are secret, by
 * `***`, and so those of the parameters in `alsoSecret`. A secret of several lines is taken out line by line, because output is read in lines.
 */
export function redactorFor(
  manifest: Manifest,
  env: Readonly<Record<string, string>>,
  alsoSecret: ReadonlySet<string> = new Set(),
): Redact {
  const secrets = Object.entries(env)
    .filter(([name]) => alsoSecret.has(name) || (manifest.parameters[name]?.secret ?? SECRET_INFRASTRUCTURE.test(name)))
    .flatMap(([, value]) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.trim() !== "")
    // A secret that contains another one must go first, or its rest would be left to read.
    .toSorted((a, b) => b.length - a.length);
  if (secrets.length === 0) return (text) => text;
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
