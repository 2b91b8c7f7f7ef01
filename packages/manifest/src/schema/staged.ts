import * as z from "zod/mini";
import { described, fields, flag, matching, text } from "./rules.js";

const NAME = matching(
  /^(?!x-)[a-z0-9][a-z0-9._-]{0,62}$/,
  "a name must be lower-case letters, digits, ., _ and -, starting with a letter or digit",
);

// Mounts are written as host:container, and what the kernel serves cannot be covered.
const PATH = matching(
  /^(?!\/(?:proc|sys|dev)(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[!-.0-9;-~]+)+$/,
  'must be an absolute path of a file, such as "/etc/encoder/license", outside of /proc, /sys and /dev and without ' +
    '"//", "..", ":" and white space',
);

const common = {
  required: described(z._default(flag, false), "Whether it must be given."),
  help: z.exactOptional(described(text, "Tells whoever gives it what it is.")),
};

const file = fields({
  path: described(PATH, "Where the file is in the container."),
  default: z.exactOptional(described(text, "Its text when nobody gives another.")),
  ...common,
});

const secret = fields({
  path: z.exactOptional(described(PATH, "Where the file is in the container. Default: /run/secrets/ and its name.")),
  ...common,
});

/** Files to stage, by name. */
export const files = described(
  z._default(z.record(NAME, file, "must be an object of names and files"), {}),
  "Files that are put into the container, where they can only be read, by name.",
);

/** Secret files to stage, by name. */
export const secrets = described(
  z._default(
    z.pipe(
      z.record(NAME, secret, "must be an object of names and secrets"),
      z.transform((written) =>
        Object.fromEntries(
          Object.entries(written).map(([name, secret]) => [
            name,
            { ...secret, path: secret.path ?? defaultPath(name) },
          ]),
        ),
      ),
    ),
    {},
  ),
  "Files that nobody but the product may read, by name. They have no default.",
);

const defaultPath = (name: string): string => `/run/secrets/${name}`;

interface Staged {
  readonly files: Readonly<Record<string, { readonly path: string }>>;
  readonly secrets: Readonly<Record<string, { readonly path: string }>>;
}

/** What is wrong with files and secrets together: values are given by name, and two cannot be in one place. */
export function* stagedProblems({ files, secrets }: Staged): Generator<{ path: string[]; message: string }> {
  const seen: { at: string; path: string }[] = [];
  for (const [kind, entries] of Object.entries({ files, secrets })) {
    for (const [name, { path }] of Object.entries(entries)) {
      const at = `${kind}.${name}`;
      if (kind === "secrets" && Object.hasOwn(files, name)) {
        yield { path: [kind, name], message: "has the name of a file; choose another" };
      }
      const other = seen.find((entry) => isWithin(path, entry.path) || isWithin(entry.path, path));
      if (other !== undefined) {
        const where = other.path === path ? `at the path of ${other.at} too` : `in the way of ${other.at}`;
        yield { path: [kind, name, "path"], message: `is ${where} (${other.path}); choose another` };
      }
      seen.push({ at, path });
    }
  }
}

const isWithin = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`);
