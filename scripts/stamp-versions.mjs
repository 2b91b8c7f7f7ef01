// Writes the versions of the packages where their code says them on the wire. Part of `npm run version-packages`.
import { readFileSync, writeFileSync } from "node:fs";

for (const [folder, file] of [
  ["migration-client", "version.ts"],
  ["migration-worker", "worker-name.ts"],
]) {
  const { name, version } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
  const path = `packages/${folder}/src/${file}`;
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(/"[^"]*\d+\.\d+\.\d+[^"]*"/, JSON.stringify(source.includes(name) ? `${name}/${version}` : version)),
  );
}
