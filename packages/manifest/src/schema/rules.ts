import * as z from "zod/mini";

// Every message completes a sentence whose subject is the field.

/** An object with these fields. What else is in it has been sifted before: all that is left are extensions. */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject(shape, "must be an object");
}

/** Puts a description where editors show it. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  return schema.check(z.describe(description));
}

export const text = z.string("must be a string");
export const flag = z.boolean("must be true or false");

/** A whole number within these bounds. */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.number(rule).check(z.int(rule), z.minimum(min, rule), z.maximum(max, rule));
}

/** A string that matches. */
export function matching(pattern: RegExp, rule: string) {
  return z.string(rule).check(z.regex(pattern, rule));
}

/** A list without repetition. */
export function setOf<Item extends z.ZodMiniType<string>>(item: Item) {
  return z.array(item, "must be an array").check(
    z.meta({ uniqueItems: true }),
    z.check<string[]>((payload) => {
      for (const [index, value] of payload.value.entries()) {
        if (payload.value.indexOf(value) === index) continue;
        const message = `repeats ${JSON.stringify(value)}`;
        payload.issues.push({ code: "custom", message, path: [index], input: value });
      }
    }),
  );
}
