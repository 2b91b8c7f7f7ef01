import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

// Older C libraries load these by name when a host name is looked up, so that ldd does not know of them.
const NAME_SERVICE = ["libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2"];

/** Files that a program needs to run: the libraries and the loader that `ldd` names, and those of the name service. */
export async function sharedLibraries(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ldd", [program]);
  const named = parseLdd(stdout);
  const libc = named.find((path) => /\/libc\.so/.test(path));
  if (libc === undefined) return named;
  const candidates = NAME_SERVICE.map((file) => join(dirname(libc), file));
  const present = await Promise.all(
    candidates.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return [...new Set([...named, ...candidates.filter((_, index) => present[index])])];
}

/** Paths in the output of `ldd`. What has no path is provided by the kernel. */
export function parseLdd(output: string): string[] {
  return [...output.matchAll(/(\/\S+) \(0x[0-9a-f]+\)/g)].flatMap(([, path]) => (path === undefined ? [] : [path]));
}
