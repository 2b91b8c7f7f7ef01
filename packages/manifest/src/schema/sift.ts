import type * as z from "zod/mini";
import { isExtensionKey } from "../extensions.js";
import { isRecord } from "../problems.js";

/** A key that the schema does not have, and those that it has in its place. */
export interface UnknownKey {
  readonly path: readonly string[];
  readonly known: readonly string[];
}

/** A manifest without what the schema does not know. */
export interface Sifted {
  readonly value: unknown;
  readonly unknownKeys: readonly UnknownKey[];
}

/**
 * Takes out of a value, without changing it, every key that the schema does not have. Extensions stay, except where the
 * keys are names (of ports, say): what stands under such a key is none of the things that are named there.
 */
export function sift(schema: z.core.$ZodType, input: unknown): Sifted {
  const unknownKeys: UnknownKey[] = [];
  return { value: siftAt(schema, input, [], unknownKeys), unknownKeys };
}

function siftAt(schema: z.core.$ZodType, input: unknown, path: readonly string[], found: UnknownKey[]): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "optional":
      return siftAt(def.innerType, input, path, found);
    case "pipe":
      return siftAt(def.in, input, path, found);
    case "union": {
      const option = optionFor(def as z.core.$ZodDiscriminatedUnionDef, input);
      return option === undefined ? input : siftAt(option, input, path, found);
    }
    case "record":
      return mapEntries(input, (key, value) =>
        isExtensionKey(key) ? [] : [[key, siftAt(def.valueType, value, [...path, key], found)]],
      );
    case "object": {
      const { shape } = def;
      return mapEntries(input, (key, value) => {
        const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
        if (field !== undefined) return [[key, siftAt(field, value, [...path, key], found)]];
        if (isExtensionKey(key)) return [[key, value]];
        found.push({ path: [...path, key], known: Object.keys(shape) });
        return [];
      });
    }
    default:
      return input;
  }
}

type Entry = [key: string, value: unknown];

function mapEntries(input: unknown, map: (key: string, value: unknown) => Entry[]): unknown {
  if (!isRecord(input)) return input;
  return Object.fromEntries(Object.entries(input).flatMap(([key, value]) => map(key, value)));
}

/** The option of a discriminated union that the input is, or `undefined`. */
function optionFor({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef, input: unknown) {
  if (!isRecord(input)) return undefined;
  return options.find((option) => {
    const { def } = (option as z.core.$ZodTypes)._zod;
    return def.type === "object" && def.shape[discriminator]?._zod.values?.has(input[discriminator] as string);
  });
}
