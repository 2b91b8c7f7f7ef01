import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import usual from "../../vitest.config.ts";
import { mutants } from "./mutants.mjs";

const name = process.env["CHANGEOVER_MUTANT"];
const mutant = mutants.find((candidate) => candidate.name === name);
if (!mutant) throw new Error(`there is no mutant ${name}`);
const file = fileURLToPath(new URL(`../../packages/${mutant.file}`, import.meta.url));

/** Changes one line as it is loaded: no file is touched. */
const change = {
  name: "mutant",
  enforce: "pre",
  transform(code, id) {
    return id.split("?")[0] === file ? code.replace(mutant.line, () => mutant.becomes) : undefined;
  },
};

export default defineConfig((env) => mergeConfig(usual(env), { plugins: [change], test: { bail: 1 } }));
