import * as z from "zod/mini";

const RULE = 'must be a size such as "512m" or "1.5g", or a whole number of bytes';
const WRITTEN = /^(\d+(?:\.\d+)?) ?([kmgtKMGT]?)[iI]?[bB]?$/;
const MULTIPLES = ["", "k", "m", "g", "t"];

/**
 * A number of bytes, or the text by which `docker run --memory` and Compose take one: the letters stand for powers of
 * 1,024, in either case and with or without the `i` and the `b`. It becomes the number of bytes.
 */
export function size(minBytes: number) {
  const number = z.number(RULE).check(z.int(RULE), z.minimum(0, RULE));
  return z.pipe(
    z.union([z.string(RULE).check(z.regex(WRITTEN, RULE)), number], RULE),
    z.transform((written, payload) => {
      const bytes = typeof written === "number" ? written : bytesOf(written);
      if (bytes < minBytes || bytes > Number.MAX_SAFE_INTEGER) {
        const message = `must be from ${minBytes} to ${Number.MAX_SAFE_INTEGER} bytes, not ${bytes}`;
        payload.issues.push({ code: "custom", message, input: written });
      }
      return bytes;
    }),
  );
}

function bytesOf(written: string): number {
  const [, count, letter = ""] = WRITTEN.exec(written) ?? [];
  return Math.floor(Number(count) * 1024 ** MULTIPLES.indexOf(letter.toLowerCase()));
}
