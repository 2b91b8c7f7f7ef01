import { isRecord } from "../problems.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Version 2 calls the description of a parameter its `help`. And `health.intervalMs`, by which version 1 paced the
 * requests before a product was ready, now paces those after: what was written for the one says nothing of the other.
 */
export function v1ToV2(manifest: Fields): Fields {
  const { parameters, health } = manifest;
  return {
    ...manifest,
    ...(isRecord(parameters) ? { parameters: withHelp(parameters) } : {}),
    ...(isRecord(health) ? { health: withoutInterval(health) } : {}),
  };
}

function withHelp(parameters: Fields): Fields {
  const renamed = Object.entries(parameters).map(([name, parameter]) => {
    if (!isRecord(parameter) || !Object.hasOwn(parameter, "description")) return [name, parameter];
    const { description, ...others } = parameter;
    return [name, { ...others, help: description }];
  });
  return Object.fromEntries(renamed);
}

function withoutInterval(health: Fields): Fields {
  const { intervalMs: _, ...others } = health;
  return others;
}
