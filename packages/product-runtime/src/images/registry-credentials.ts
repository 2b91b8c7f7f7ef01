import { askHelper } from "./credential-helper.js";
import { credentialsKey, readDockerConfig, storedAuth, type RegistryAuth } from "./docker-config.js";

/** What a registry is given with a pull. */
export interface RegistryCredentials {
  readonly auth: (RegistryAuth & { readonly serveraddress: string }) | undefined;
  /** Where that came from, or where none was found, as a sentence without its full stop. */
  readonly description: string;
}

/**
 * Finds the credentials for a registry as `docker` does: with the helper that `credHelpers` names for it, otherwise
 * with the one that `credsStore` names for all, and otherwise, or when that has none, in `auths`.
 *
 * @throws `ProductRuntimeError` with code `credentials-failed`.
 */
export async function registryCredentials(
  registry: string,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<RegistryCredentials> {
  const config = await readDockerConfig(env);
  const key = credentialsKey(registry);
  const found = (auth: RegistryAuth, source: string): RegistryCredentials => ({
    auth: { ...auth, serveraddress: key },
    description: `The registry was given the credentials that ${source} has for ${key}`,
  });

  const ofRegistry = [registry, key].find((host) => Object.hasOwn(config.credHelpers, host));
  const property = ofRegistry === undefined ? "credsStore" : "credHelpers";
  // An empty name in credHelpers means that there is no helper for this one.
  const name = (ofRegistry === undefined ? config.credsStore : config.credHelpers[ofRegistry]) || undefined;
  if (typeof name === "string") {
    const auth = await askHelper({ name, namedBy: `${property} in ${config.path}`, env, signal }, key);
    if (auth !== undefined) return found(auth, `docker-credential-${name}`);
  }
  const stored = storedAuth(config, registry);
  if (stored !== undefined) return found(stored, config.path);
  const askedToo = name === undefined ? "" : ` and docker-credential-${String(name)}`;
  return { auth: undefined, description: `There are no credentials for ${key} in ${config.path}${askedToo}` };
}
